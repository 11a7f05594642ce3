#!/usr/bin/env python3
"""Holds a queueing model of a day of scans on a cluster against a simulation of its events.

    scripts/scheduling.py [--scans 10000] [--days 20] [--gpus 1,2,8,64] [--flat]

Two ways to run them: `ranks`, a process a GPU that takes the next scan as soon as it is free, and
`array`, an array of Slurm every minute with a task for each scan that has come since, which starts
on the next free GPU. The table has the mean wait of a scan for a GPU and when the last image is
done. docs/scaling.md says where the seconds come from, and why model and simulation differ.
"""
import argparse
import heapq
import math
import random
import statistics
import sys

HOUR = 3600.0
# Scans in the hours of a day, 8 to 18 h, relative to their mean: an assumption.
PROFILE = [0.6, 1.0, 1.4, 1.4, 1.0, 0.6, 1.2, 1.4, 1.0, 0.4]
# (share of the scans, seconds on one H200): shares are assumptions, seconds those of scaling.md.
FAST = [(0.60, 1.6), (0.20, 5.0), (0.17, 1.8), (0.03, 5.5)]
EXACT = [(0.60, 1.6), (0.20, 5.0), (0.17, 9.0), (0.03, 33.0)]
LARGE = [(0.9 * share, seconds) for share, seconds in FAST] + [(0.1, 210.0)]
MIXES = {"fast": FAST, "exact": EXACT, "large": LARGE}
# (seconds between submissions, seconds to start a task): those of `array` are assumptions.
WAYS = {"ranks": (0.0, 0.0), "array": (60.0, 1.2)}


# --- the model: formulas alone --------------------------------------------------------------------
def erlang_c(servers, load):
    """The probability that a customer of M/M/c waits."""
    blocking = 1.0
    for k in range(1, servers + 1):
        blocking = load * blocking / (k + load * blocking)
    return blocking / (1 - load / servers * (1 - blocking))


def within_batch(count, servers):
    """How many turns of a server a scan waits for others of its batch, of Poisson(count) scans."""
    turns = 0.0
    most = int(count + 12 * math.sqrt(count) + 12)
    for k in range(servers + 1, most):
        probability = math.exp(k * math.log(count) - count - math.lgamma(k + 1))
        turns += probability * (k - servers) * (k - servers + 1) / 2
    return turns / (count * servers)


def steady_wait(rate, mean, variation, servers, interval):
    """Allen-Cunneen of M/G/c; of a batch an interval that of D/G/1, whose services are batches."""
    busy = rate * mean / servers
    if interval == 0:
        waits = erlang_c(servers, rate * mean)
        return waits / (1 - busy) * (1 + variation) / 2 * mean / servers
    count = rate * interval
    of_batch = (1 + variation) / count  # squared coefficient of variation of its work
    rest = busy / (1 - busy) * of_batch / 2 * count * mean / servers
    rest *= math.exp(-2 * (1 - busy) / (3 * busy * of_batch))
    return interval / 2 + mean * within_batch(count, servers) + rest


def model(mix, scans, servers, interval, start):
    """Mean wait and the hour when all is done: each minute steady, or a fluid that piles up."""
    mean = sum(share * seconds for share, seconds in mix) + start
    square = sum(share * (seconds + start) ** 2 for share, seconds in mix)
    variation = square / mean ** 2 - 1
    pile = waited = 0.0
    for hour in PROFILE:
        rate = hour * scans / sum(PROFILE) / HOUR
        busy = rate * mean / servers
        steady = steady_wait(rate, mean, variation, servers, interval) if busy < 1 else interval / 2
        for _ in range(60):
            before = pile
            pile = max(0.0, pile + 60 * (rate - servers / mean))
            piled = (before + pile) / 2 * mean / servers
            waited += 60 * rate * (interval / 2 + piled if piled > 0 else steady)
    return waited / scans, len(PROFILE) + pile * mean / servers / HOUR


# --- the simulation: events alone -----------------------------------------------------------------
def simulated_day(mix, scans, servers, interval, start, generator):
    """The wait of each scan and the hour when all is done."""
    shares, seconds = zip(*mix)
    events = []
    for hour in generator.choices(range(len(PROFILE)), PROFILE, k=scans):
        events.append((HOUR * (hour + generator.random()), "scan"))
    heapq.heapify(events)
    submitted, queue, waits = [], [], []
    first, free, now = 0, servers, 0.0
    while events:
        now, what = heapq.heappop(events)
        if what == "free":
            free += 1
        elif what == "scan" and interval > 0:
            if not submitted:
                heapq.heappush(events, (interval * math.ceil(now / interval), "submit"))
            submitted.append(now)
        elif what == "scan":
            queue.append(now)
        else:
            queue += submitted
            submitted = []
        while free > 0 and first < len(queue):
            waits.append(now - queue[first])
            first += 1
            free -= 1
            end = now + start + generator.choices(seconds, shares)[0]
            heapq.heappush(events, (end, "free"))
    return waits, now / HOUR


def shown(seconds):
    return f"{seconds:.{0 if seconds >= 10 else 2}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scans", type=int, default=10000, help="of a day")
    parser.add_argument("--days", type=int, default=20, help="that are simulated, two or more")
    parser.add_argument("--flat", action="store_true", help="as many scans in every hour")
    parser.add_argument("--gpus", default="1,2,8,64")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.flat:
        PROFILE[:] = [1.0] * len(PROFILE)
    print("| scans | GPUs | way | busy | model, s | simulation, s | ratio | 95 %, s "
          "| done: model, h | simulation, h |\n|---" + "|---" * 9 + "|")
    for name, mix in MIXES.items():
        for servers in map(int, arguments.gpus.split(",")):
            for way, (interval, start) in WAYS.items():
                generator = random.Random(arguments.seed)
                days = [simulated_day(mix, arguments.scans, servers, interval, start, generator)
                        for _ in range(arguments.days)]
                waits = [wait for of_day, _ in days for wait in of_day]
                means = [statistics.fmean(of_day) for of_day, _ in days]
                mean = statistics.fmean(means)
                error = statistics.stdev(means) / math.sqrt(len(means))
                wait, done = model(mix, arguments.scans, servers, interval, start)
                work = sum(share * (seconds + start) for share, seconds in mix)
                busy = arguments.scans * work / (servers * HOUR * len(PROFILE))
                ratio = f"{wait / mean:.2f}" if mean >= 0.01 else ""
                print(f"| {name} | {servers} | {way} | {busy:.2f} | {shown(wait)} "
                      f"| {shown(mean)} +- {shown(error)} | {ratio} "
                      f"| {shown(statistics.quantiles(waits, n=20)[-1])} "
                      f"| {done:.1f} | {statistics.fmean(end for _, end in days):.1f} |")


if __name__ == "__main__":
    sys.exit(main())
