// Options by keys and words, as a command line or another language gives them.

#include <gtest/gtest.h>

#include "encoding/methods.hpp"
#include "plan/options.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

TEST(OptionsFrom, KeysAndWordsSetTheMembersOfTheirRows) {
    const Request requested = options_from({{"lambda", "1e-3"},
                                            {"reg", "tv:0.02"},
                                            {"reg", "roughness:0.1"},
                                            {"iterations", "30"},
                                            {"maps", "walsh"},
                                            {"shift_mm", "1.5,2"},
                                            {"conjugate", "yes"},
                                            {"no_whitening", ""},
                                            {"noise_map", ""},
                                            {"precision", "double"},
                                            {"accuracy", "1e-9"}});
    const ReconstructOptions& options = requested.reconstruct;
    EXPECT_EQ(options.solve.lambda, 1e-3);
    EXPECT_TRUE(options.lambda_rule && options.lambda_rule->word.empty());
    EXPECT_EQ(in_words(options.solve.regularisers), "tv:0.02 roughness:0.1");
    EXPECT_EQ(options.effort.iterations, 30);
    EXPECT_EQ(word_of(options.prepare.maps), "walsh");
    EXPECT_EQ(options.prepare.geometry.shift_mm, (std::vector<double>{1.5, 2}));
    EXPECT_TRUE(options.prepare.geometry.conjugate);
    EXPECT_FALSE(options.prepare.whiten);
    EXPECT_EQ(options.noise_solves, 150);
    EXPECT_EQ(requested.compute.precision, Precision::float64);
    EXPECT_EQ(requested.compute.accuracy, 1e-9);
}

TEST(OptionsFrom, NothingIsTheDefault) {
    const Request requested = options_from({});
    EXPECT_FALSE(requested.reconstruct.lambda_rule);
    EXPECT_FALSE(requested.reconstruct.best_regulariser);
    EXPECT_TRUE(requested.compute.accuracy_is_of_image);
    EXPECT_TRUE(options_from({{"no_whitening", "no"}}).reconstruct.prepare.whiten);
    EXPECT_EQ(options_from({{"lambda", "discrepancy"}}).reconstruct.lambda_rule->word,
              "discrepancy");
}

std::string refusal_of(const option::Keywords& given) {
    try {
        options_from(given);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "taken";
}

TEST(OptionsFrom, RefusalsSayWhatWasGivenAndExpectedAndTheNextStep) {
    struct Case {
        option::Keywords given;
        std::vector<std::string> tokens; ///< beside the next step
    };
    const std::string expected = "\n  expected: ";
    for (const Case& one : std::vector<Case>{
             {{{"lamda", "0"}}, {"`lamda`", "`lambda`", "docs/options.md"}},
             {{{"output", "image.h5"}}, {"`output`", "docs/options.md"}},
             {{{"tolerance", "0"}}, {"`tolerance` 0", expected, "above 0", "docs/options.md"}},
             {{{"conjugate", "maybe"}}, {"`conjugate` maybe", expected, "yes or no"}},
             {{{"density", "voronoi"}},
              {"`density` voronoi without `method`", expected, "both", "add `method`"}},
             {{{"coils", "4"}, {"energy", "0.9"}},
              {"`energy` 0.9 with `coils` 4", expected, "one of", "leave one"}},
             {{{"lambda", "0"}, {"lambda", "auto"}},
              {"`lambda` auto after `lambda` 0", expected, "once", "leave one"}}}) {
        const std::string said = refusal_of(one.given);
        EXPECT_EQ(test::lacks(said, one.tokens), "");
        EXPECT_EQ(test::lacks(said, {"\n  next:     "}), "");
    }
    EXPECT_EQ(refusal_of({{"output", "image.h5"}}).find("Did you"), std::string::npos);
}

TEST(OptionsFrom, OptionsThatContradictEachOtherAreRefused) {
    EXPECT_NE(refusal_of({{"lambda", "discrepancy"}, {"reg", "auto"}}).find("leave one"),
              std::string::npos);
    EXPECT_NE(refusal_of({{"method", "gridding"}, {"iterations", "3"}}).find("`iterations`"),
              std::string::npos);
}

TEST(Nearest, ANameIsNearThatBeginsAndEndsTheSame) {
    const std::vector<std::string> names{"maps", "maps_crop", "iterations"};
    EXPECT_EQ(option::nearest(names, "map"), "maps");
    EXPECT_EQ(option::nearest(names, "maps-crop"), "maps_crop");
    EXPECT_EQ(option::nearest(names, "iter"), "iterations");
    EXPECT_EQ(option::nearest(names, "xyz"), "");
    EXPECT_EQ(option::nearest(names, ""), "");
}

} // namespace
} // namespace lsrecon
