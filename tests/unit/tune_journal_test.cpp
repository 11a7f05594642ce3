// What a search remembers, and whom it blames for the end of the program.

#include "measure/tune_journal.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::TemporaryFolder;

TuneCandidate candidate(int value, TuneCandidate::Outcome outcome) {
    return {{{"A", value}}, outcome, 0.25, "why"};
}

TEST(TuneJournal, KnowsWhatEndedInItsSearch) {
    const TemporaryFolder folder;
    const std::string path = folder.file("tuning/journal.txt");
    using Outcome = TuneCandidate::Outcome;
    TuneJournal(path, "search").end(candidate(1, Outcome::timed));
    TuneJournal(path, "search").end(candidate(2, Outcome::failed));
    TuneJournal(path, "another").end(candidate(3, Outcome::timed));
    TuneJournal(path, "search").begin(candidate(4, Outcome::failed));

    const TuneJournal journal(path, "search");
    TuneCandidate found = candidate(1, Outcome::slow);
    ASSERT_TRUE(journal.find(found));
    EXPECT_EQ(found.outcome, Outcome::timed);
    EXPECT_EQ(found.seconds, 0.25);
    found = candidate(2, Outcome::slow);
    ASSERT_TRUE(journal.find(found));
    EXPECT_EQ(found.outcome, Outcome::failed);
    for (const int unknown : {3, 4, 5}) {
        found = candidate(unknown, Outcome::slow);
        EXPECT_FALSE(journal.find(found)) << unknown;
    }
    TuneJournal::forget(path);
    found = candidate(1, Outcome::slow);
    EXPECT_FALSE(TuneJournal(path, "search").find(found));
}

/// Whether the candidate is passed over after so many searches that this signal ended during it.
bool given_up(int signal, int searches) {
    const TemporaryFolder folder;
    const std::string path = folder.file("journal.txt");
    for (int n = 0; n < searches; ++n) {
        const pid_t search = ::fork();
        if (search == 0) {
            TuneJournal journal(path, "search");
            journal.begin(candidate(1, TuneCandidate::Outcome::timed));
            ::raise(signal);
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(search, &status, 0);
        EXPECT_NE(status, 0) << "went on"; // by the signal, or by a sanitizer that caught it
    }
    TuneCandidate found = candidate(1, TuneCandidate::Outcome::timed);
    const bool known = TuneJournal(path, "search").find(found);
    if (known) {
        EXPECT_EQ(found.outcome, TuneCandidate::Outcome::failed);
        EXPECT_NE(found.reason.find("--again"), std::string::npos) << found.reason;
    }
    return known;
}

TEST(TuneJournal, GivesUpACandidateThatCrashesTheProgramTwice) {
    for (const int signal : {SIGSEGV, SIGABRT}) {
        EXPECT_FALSE(given_up(signal, 1)) << signal;
        EXPECT_TRUE(given_up(signal, 2)) << signal;
    }
}

TEST(TuneJournal, DoesNotBlameACandidateForAnInterrupt) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        EXPECT_FALSE(given_up(signal, 6)) << signal;
    }
}

TEST(TuneJournal, GivesUpACandidateOnlyAfterManyKills) {
    EXPECT_FALSE(given_up(SIGKILL, 4));
    EXPECT_TRUE(given_up(SIGKILL, 5));
}

TEST(TuneJournal, LeavesTheSignalsAsTheyWere) {
    const TemporaryFolder folder;
    const auto before = std::signal(SIGTERM, SIG_IGN);
    {
        TuneJournal journal(folder.file("journal.txt"), "search");
        journal.begin(candidate(1, TuneCandidate::Outcome::timed));
        ::raise(SIGTERM); // ignored, as under nohup: ends nothing
        journal.end(candidate(1, TuneCandidate::Outcome::timed));
    }
    EXPECT_EQ(std::signal(SIGTERM, before), SIG_IGN);
}

TEST(TuneJournal, ReadsPastBrokenLines) {
    const TemporaryFolder folder;
    const std::string path = folder.file("journal.txt");
    test::write_text(path, "no line of ours\n{\"search\": 3}\n[]\n{\"search\":\"search\",\"par");
    TuneJournal(path, "search").end(candidate(1, TuneCandidate::Outcome::timed));
    TuneCandidate found = candidate(1, TuneCandidate::Outcome::slow);
    EXPECT_TRUE(TuneJournal(path, "search").find(found));
}

} // namespace
} // namespace lsrecon
