#include "solve/solve.hpp"

namespace lsrecon {

Solved solve(const NormalOperator& normal, const CoilMatrix& fhd, const SolveOptions& options,
             Reporter& report) {
    const Stage stage(report, "solve");
    const auto apply = [&](const ComplexVector& rho) { return normal.apply(rho); };
    Solved solved{CoilMatrix(fhd.rows(), fhd.cols()), {}};
    for (Eigen::Index row = 0; row < fhd.rows(); ++row) {
        const auto progress = [&](double fraction) {
            report.progress((static_cast<double>(row) + fraction) /
                            static_cast<double>(fhd.rows()));
        };
        Solution solution = conjugate_gradient(apply, fhd.row(row).transpose(), options, progress);
        solved.rho.row(row) = solution.x.transpose();
        solved.residuals.push_back(std::move(solution.residuals));
    }
    return solved;
}

ImageFrame to_image(const Frame& frame, const Solved& solved) {
    ImageFrame image{{}, frame.label, frame.position, solved.residuals};
    if (solved.rho.rows() == 1) {
        image.values = solved.rho.row(0).transpose();
    } else {
        image.values = solved.rho.colwise().norm().transpose().cast<Complex>();
    }
    return image;
}

} // namespace lsrecon
