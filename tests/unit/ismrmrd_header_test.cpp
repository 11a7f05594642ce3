#ifdef LSRECON_WITH_ISMRMRD

#include "io/ismrmrd/header.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/findings.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

const std::string good = R"(<?xml version="1.0"?>
<ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD">
 <encoding>
  <encodedSpace>
   <matrixSize><x>24</x><y>20</y><z>1</z></matrixSize>
   <fieldOfView_mm><x>240</x><y>200.5</y><z>5</z></fieldOfView_mm>
  </encodedSpace>
  <reconSpace>
   <matrixSize><x>24</x><y>20</y><z>1</z></matrixSize>
   <fieldOfView_mm><x>240.000</x><y>200.5</y><z>5</z></fieldOfView_mm>
  </reconSpace>
  <encodingLimits>
   <kspace_encoding_step_1><minimum>0</minimum><maximum>19</maximum><center>9</center>
   </kspace_encoding_step_1>
  </encodingLimits>
  <trajectory>cartesian</trajectory>
 </encoding>
</ismrmrdHeader>)";

std::string with(const std::string& part, const std::string& other) {
    std::string xml = good;
    const std::size_t offset = xml.find(part);
    EXPECT_NE(offset, std::string::npos) << part;
    return xml.replace(offset, part.size(), other);
}

RawEncoding read(const std::string& xml) {
    Findings findings;
    return MeasurementHeader(xml, "scan.h5", "/dataset/xml").encoding(0, findings);
}

Findings findings_of(const std::string& xml) {
    Findings findings;
    MeasurementHeader(xml, "scan.h5", "/dataset/xml").encoding(0, findings);
    return findings;
}

Fault refusal(const std::string& xml) {
    try {
        read(xml);
    } catch (const InputError& error) {
        return error.fault();
    }
    ADD_FAILURE() << "no InputError for " << xml;
    return {};
}

TEST(IsmrmrdHeader, ReadsWhatIsNeeded) {
    const RawEncoding encoding = read(good);
    EXPECT_EQ(encoding.grid.dimensions, 2);
    EXPECT_EQ(encoding.grid.size, (std::array<std::size_t, 3>{24, 20, 1}));
    EXPECT_EQ(encoding.grid.fov_mm, (Vec3{240, 200.5, 5}));
    EXPECT_EQ(encoding.encode_centers, (std::array<long, 2>{9, 0}));
    EXPECT_EQ(encoding.stored_trajectory, "");
    EXPECT_TRUE(findings_of(good).empty());
}

// A lenient parser makes 16 of 65552 and 24 of 24O: another image without a word.
TEST(IsmrmrdHeader, ANumberIsReadWholeOrRefusedByItsName) {
    for (const std::string wrong :
         {"65552", "24O", "24,5", "24.5", "-24", "0", "0x18", "", "nan", "1e9", "2 4"}) {
        const Fault fault = refusal(with("<x>24</x>", "<x>" + wrong + "</x>"));
        EXPECT_EQ(fault.file, "scan.h5");
        EXPECT_EQ(fault.thing, "/dataset/xml, encoding/encodedSpace/matrixSize/x");
        EXPECT_EQ(fault.found, "\"" + wrong + "\"");
        EXPECT_EQ(fault.expected, "a whole number from 1 to 65535");
    }
    for (const std::string wrong : {"0", "-200", "200mm", "2OO", "inf", "1e999", ""}) {
        const Fault fault = refusal(with("<y>200.5</y>", "<y>" + wrong + "</y>"));
        EXPECT_EQ(fault.thing, "/dataset/xml, encoding/encodedSpace/fieldOfView_mm/y");
        EXPECT_EQ(fault.found, "\"" + wrong + "\"");
        EXPECT_EQ(test::lacks(fault.expected, {"above 0", "mm", "`header` fov_mm=X,Y"}), "");
    }
    EXPECT_EQ(refusal(with("<center>9</center>", "<center>9x</center>")).thing,
              "/dataset/xml, encoding/encodingLimits/kspace_encoding_step_1/center");
    EXPECT_EQ(read(with("<x>24</x>", "<x> 24.0\n</x>")).grid.size[0], 24u);
}

TEST(IsmrmrdHeader, APartOfANumberIsNotRead) {
    EXPECT_EQ(read(with("<x>24</x>", "<x>2<!-- -->4</x>")).grid.size[0], 24U);
    EXPECT_EQ(refusal(with("<x>24</x>", "<x>16</x><x>32</x>")).found, "\"16 and 32\"");
    EXPECT_EQ(refusal(with("<x>24</x>", "<x>2<b/>4</x>")).found, "\"2<b>4\"");
}

TEST(IsmrmrdHeader, WhatIsMissingIsNamed) {
    Fault fault = refusal(with("<y>20</y>", ""));
    EXPECT_EQ(fault.thing, "/dataset/xml, encoding/encodedSpace/matrixSize/y");
    EXPECT_EQ(fault.found, "it is missing");
    std::string xml = good;
    const std::size_t begin = xml.find("<encoding>");
    xml.erase(begin, xml.find("</ismrmrdHeader>") - begin);
    EXPECT_EQ(refusal(xml).thing, "/dataset/xml, encoding");
    fault = refusal("<header/>");
    EXPECT_EQ(fault.thing, "/dataset/xml");
    EXPECT_EQ(fault.found, "its root element is \"header\"");
    EXPECT_NE(refusal(good.substr(0, 100)).found.find("does not parse"), std::string::npos);
    EXPECT_EQ(refusal("").thing, "/dataset/xml");
}

TEST(IsmrmrdHeader, WhatIsNotNeededMayBeMissingOrOdd) {
    EXPECT_EQ(read(with(">cartesian<", ">Cartesian<")).stored_trajectory, "");
    EXPECT_EQ(read(with(">cartesian<", ">Radial<")).stored_trajectory, "Radial");
    EXPECT_EQ(read(with("<trajectory>cartesian</trajectory>", "")).stored_trajectory, "unknown");
    // Of version 1.8's own reader: a position is required, and no other than these is known.
    for (const std::string inside : {"", "<patientPosition>on the head</patientPosition>"}) {
        EXPECT_NO_THROW(read(with(" <encoding>", "<measurementInformation>" + inside +
                                                     "</measurementInformation><encoding>")));
    }
    std::string xml = good;
    const std::size_t begin = xml.find("<reconSpace>");
    xml.erase(begin, xml.find("<encodingLimits>") - begin);
    EXPECT_TRUE(findings_of(xml).empty());
    EXPECT_TRUE(test::has(findings_of(with("<x>240.000</x>", "")), Found::recon_space_unused));
    EXPECT_EQ(read(with("<z>5</z>", "<z>0</z>")).grid.fov_mm[2], 1);
    EXPECT_EQ(read(with("<z>5</z>", "")).grid.fov_mm[2], 1);
    EXPECT_EQ(refusal(with("<z>5</z>", "<z>5x</z>")).thing,
              "/dataset/xml, encoding/encodedSpace/fieldOfView_mm/z");
}

TEST(IsmrmrdHeader, UserParametersAndWaveformsAreListed) {
    const std::string more =
        "<userParameters><userParameterLong><name>turns</name><value>12</value>"
        "</userParameterLong><userParameterString><name>coil</name><value>head</value>"
        "</userParameterString></userParameters><waveformInformation><waveformName>heart"
        "</waveformName><waveformType>ecg</waveformType></waveformInformation></ismrmrdHeader>";
    const MeasurementHeader header(with("</ismrmrdHeader>", more), "scan.h5", "/dataset/xml");
    EXPECT_EQ(header.details(),
              (std::vector<std::pair<std::string, std::string>>{{"parameter", "turns = 12"},
                                                                {"parameter", "coil = head"},
                                                                {"waveform", "heart, ecg"}}));
    EXPECT_EQ(header.noise_bandwidth(), 1);
}

} // namespace
} // namespace lsrecon

#endif
