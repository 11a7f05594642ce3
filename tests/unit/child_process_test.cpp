#include "base/child_process.hpp"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

namespace lsrecon {
namespace {

std::string end_of(ChildProcess& child) {
    char byte = 0;
    try {
        child.receive(&byte, 1);
    } catch (const ChildFailure& failure) {
        return failure.what();
    }
    return "it has answered";
}

TEST(ChildProcess, AnswersWhatItIsSent) {
    ChildProcess child([](const Connection& parent) {
        for (int number = 0;;) {
            parent.receive(&number, sizeof(number));
            ++number;
            parent.send(&number, sizeof(number));
        }
    });
    for (int number : {1, 41}) {
        child.send(std::string(reinterpret_cast<const char*>(&number), sizeof(number)));
        int answer = 0;
        child.receive(&answer, sizeof(answer));
        EXPECT_EQ(answer, number + 1);
    }
}

TEST(ChildProcess, ACrashIsReportedWithItsCause) {
    ChildProcess child([](const Connection&) { std::raise(SIGSEGV); });
    EXPECT_EQ(end_of(child), "crashed: Segmentation fault");
}

TEST(ChildProcess, HandlersOfThisProcessDoNotRunInIt) {
    const auto before = std::signal(SIGSEGV, [](int) { _exit(0); });
    ChildProcess child([](const Connection&) { std::raise(SIGSEGV); });
    std::signal(SIGSEGV, before);
    EXPECT_EQ(end_of(child), "crashed: Segmentation fault");
}

TEST(ChildProcess, ALoopWithoutEndIsEnded) {
    ChildProcess child([](const Connection&) {
        limit_this_process(0, 1e9); // a second at most
        for (volatile unsigned i = 0;; i = i + 1) {
        }
    });
    EXPECT_EQ(end_of(child), "did not finish in time");
}

TEST(ChildProcess, MemoryIsLimited) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "no limit under AddressSanitizer";
#endif
    ChildProcess child([](const Connection& parent) {
        limit_this_process(10, 64e6);
        const std::vector<char> fits(16 << 20);
        parent.send(fits.data(), 1);
        const std::vector<char> does_not(256 << 20);
        parent.send(does_not.data(), 1);
    });
    char byte = 1;
    child.receive(&byte, 1);
    EXPECT_EQ(byte, 0);
    EXPECT_EQ(end_of(child), "asked for more memory than the file can need");
}

TEST(ChildProcess, AnEndWithoutAnAnswerIsReported) {
    ChildProcess returns([](const Connection&) {});
    EXPECT_EQ(end_of(returns), "ended without an answer");
    ChildProcess throws([](const Connection&) { throw std::runtime_error("x"); });
    EXPECT_EQ(end_of(throws), "ended without an answer");
}

TEST(ChildProcess, ASendToAChildThatHasGoneIsSeenOnReceiving) {
    ChildProcess child([](const Connection&) {});
    for (int n = 0; n < 1000; ++n) {
        child.send(std::string(1000, 'x'));
    }
    char answer = 0;
    EXPECT_THROW(child.receive(&answer, 1), ChildFailure);
}

// Its answer may come before the question, such as for a file that is not HDF5.
TEST(ChildProcess, AnAnswerOfAChildThatHasGoneIsReceived) {
    ChildProcess child([](const Connection& parent) { parent.send("a", 1); });
    for (int n = 0; n < 1000; ++n) {
        child.send(std::string(1000, 'x'));
    }
    char answer = 0;
    child.receive(&answer, 1);
    EXPECT_EQ(answer, 'a');
}

TEST(ChildProcess, KeepsNoDescriptorButTheOneNamed) {
    int kept[2];
    ASSERT_EQ(pipe(kept), 0);
    ChildProcess child(
        [&](const Connection& parent) {
            const char open[2] = {static_cast<char>(fcntl(kept[0], F_GETFD) >= 0),
                                  static_cast<char>(fcntl(kept[1], F_GETFD) >= 0)};
            parent.send(open, 2);
        },
        kept[1]);
    char open[2] = {1, 0};
    child.receive(open, 2);
    EXPECT_FALSE(open[0]);
    EXPECT_TRUE(open[1]);
    close(kept[0]);
    close(kept[1]);
}

int value_of_later = 1;

TEST(ChildProcess, OfASmallProcessIsACopyOfWhatWasThereBefore) {
    start_children_from_here();
    value_of_later = 2;
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    ASSERT_EQ(write(pipe_ends[1], "x", 1), 1);
    ChildProcess child(
        [](const Connection& parent, int descriptor) {
            char byte = 0;
            const bool reads = read(descriptor, &byte, 1) == 1 && byte == 'x';
            const int answer = reads ? value_of_later : 0;
            parent.send(&answer, sizeof(answer));
        },
        pipe_ends[0]);
    int answer = 0;
    child.receive(&answer, sizeof(answer));
    EXPECT_EQ(answer, 1);
    EXPECT_EQ(end_of(child), "ended without an answer");
    ChildProcess crashes([](const Connection&, int) { std::raise(SIGSEGV); }, pipe_ends[0]);
    EXPECT_EQ(end_of(crashes), "crashed: Segmentation fault");
    const ChildProcess is_ended(
        [](const Connection&, int) {
            for (;;) {
                pause();
            }
        },
        pipe_ends[0]);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

/// The pipe that it holds open comes to its end.
TEST(ChildProcess, DiesWithTheProcessThatMadeIt) {
    int held[2];
    ASSERT_EQ(pipe(held), 0);
    const pid_t maker = fork();
    if (maker == 0) {
        const ChildProcess child(
            [&](const Connection&) {
                for (;;) {
                    pause();
                }
            },
            held[1]);
        _exit(0);
    }
    close(held[1]);
    char byte = 0;
    EXPECT_EQ(read(held[0], &byte, 1), 0);
    close(held[0]);
}

} // namespace
} // namespace lsrecon
