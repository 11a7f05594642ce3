#!/usr/bin/env python3
"""Ranks that mpirun starts: the same image as of one process, for 1 to 4 of them; a rank that
fails or is killed; commands that ranks do not share.

    mpi.py LSRECON"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import cores
from in_folders import DEVICE, INPUT, USAGE, expect, run_cases
from resume import contents, frames_in, scan_of_frames

FRAMES = ["recon", "many.h5", "--iterations", "6", "--log", "log.tsv"]
MPIRUN = ["mpirun", "--oversubscribe", "-n"]
COMES = 0x80 | 0x100  # IN_MOVED_TO, IN_CREATE
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def start(folder, ranks, words, by=()):
    return subprocess.Popen([*MPIRUN, str(ranks), *by, folder.program, *words], cwd=folder.path,
                            env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def by_ranks(folder, ranks, code, words, by=()):
    """What was said, on stdout and stderr."""
    process = start(folder, ranks, words, by)
    said = "".join(process.communicate(timeout=120))
    expect(process.returncode == code, f"{ranks} ranks: exit {process.returncode}\n{said}")
    return said


def log_of(folder):
    """Without seconds."""
    with open(folder / "log.tsv", encoding="utf-8") as file:
        return [line.split("\t")[:4] for line in file]


def without_times(said):
    return [line for line in said.splitlines()
            if not re.search(r"\d s$|^image |^time |^-+$", line)]


def scans_of_a_list_are_dealt(make):
    folder = make()
    names = [f"{letter}.h5" for letter in "abcde"]
    for seed, name in enumerate(names):
        folder.run(0, ["simulate", "--matrix", "16,16", "--noise", "0.1", "--seed", str(seed), "-o",
                       name, "--quiet"])
    with open(folder / "c.h5", "wb") as file:
        file.write(b"no scan")
    words = ["batch", *names, "--iterations", "4"]
    folder.run(INPUT, [*words, "-o", "plain"])
    for ranks in (2, 3):
        said = by_ranks(folder, ranks, INPUT, [*words, "-o", f"of{ranks}"])
        expect("1 of 5 scans failed" in said, said)
        rows = []
        for rank in range(ranks):
            with open(folder / f"of{ranks}/results-rank-{rank}.tsv", encoding="utf-8") as file:
                rows += file.read().splitlines()[1:]
        expect(sorted(row.split("\t")[0] for row in rows) == names, f"{ranks} ranks: {rows}")
        for name in names[:2] + names[3:]:
            expect(contents(folder / f"plain/images/{name}") ==
                   contents(folder / f"of{ranks}/images/{name}"), f"{ranks} ranks: {name}")


def frames_are_dealt(make):
    folder = make()
    scan_of_frames(folder)
    plain = folder.run(0, [*FRAMES, "-o", "plain.h5"]).stderr
    log = log_of(folder)
    for ranks in (1, 2, 3, 4):
        said = by_ranks(folder, ranks, 0, [*FRAMES, "-o", f"{ranks}.h5"])
        expect(contents(folder / "plain.h5") == contents(folder / f"{ranks}.h5"),
               f"{ranks} ranks: another image or record")
        expect(log_of(folder) == log, f"{ranks} ranks: another log")
        expect(without_times(said) == without_times(plain), f"{ranks} ranks: {said}\n{plain}")
        expect(not os.path.exists(folder / f"{ranks}.h5.part"), f"{ranks} ranks: the part stays")


def frames_are_certified_alike(make):
    folder = make()
    scan_of_frames(folder)
    for ranks, how in ((2, ["--iterations", "6"]), (3, ["--lambda", "0.001"])):
        words = ["recon", "many.h5", "--kernel", "nufft", "--accuracy", "1e-4", "--frames", "0-6",
                 *how, "--certify", "10", "-o"]
        folder.run(0, [*words, "plain.h5"])
        plain = contents(folder / "plain.h5")
        expect("certified_image_upper" in plain, "nothing was certified")
        by_ranks(folder, ranks, 0, [*words, "ranks.h5"])
        expect(plain == contents(folder / "ranks.h5"), f"{how}, {ranks} ranks: other errors")
        os.remove(folder / "ranks.h5")
        os.remove(folder / "plain.h5")


def precision_is_decided_alike(make):
    folder = make()
    scan_of_frames(folder)
    words = ["recon", "many.h5", "--lambda", "1e-6", "--iterations", "6", "-o"]
    folder.run(0, [*words, "plain.h5"], ["in double precision"])
    by_ranks(folder, 3, 0, [*words, "ranks.h5"])
    expect(contents(folder / "plain.h5") == contents(folder / "ranks.h5"), "another image")


def a_single_frame_is_shared(make):
    """Sums in one piece and, of the engines that allow it, by parts of the voxels."""
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "64,64", "--coils", "4",
                   "--noise", "0.01", "-o", "2d.h5", "--quiet"])
    folder.run(0, ["simulate", "--trajectory", "random", "--matrix", "18,19,20", "--readouts",
                   "200", "--samples-per-readout", "64", "--coils", "3", "-o", "3d.h5", "--quiet"])
    for several, scan, words in (((1, 3), "2d.h5", []),
                                 ((4,), "2d.h5", ["--maps", "none", "--engine", "exact"]),
                                 ((2,), "2d.h5", ["--reg", "tv:1e-3", "--engine", "nufft"]),
                                 ((2, 3), "3d.h5", ["--engine", "exact", "--noise-map", "2"])):
        command = ["recon", scan, *words, "--iterations", "8", "--quiet"]
        folder.run(0, [*command, "-o", "plain.h5"])
        for ranks in several:
            by_ranks(folder, ranks, 0, [*command, "-o", "ranks.h5"])
            expect(contents(folder / "plain.h5") == contents(folder / "ranks.h5"),
                   f"{ranks} ranks, {scan} {words}: another image or record")


def unlike_ranks_make_the_same_image(make):
    """One of them has one core, and machines that were measured to be quite unlike."""
    folder = make()
    cores.scans(folder)
    first = min(os.sched_getaffinity(0))
    cores.keep_machine(folder, "slow", exact=100, phases=100, spreading=0.01, fine=0.01)
    cores.keep_machine(folder, "fast", exact=0.01, phases=0.01, spreading=100, fine=100)
    with open(folder / "unlike.sh", "w", encoding="utf-8") as file:
        file.write('case "$OMPI_COMM_WORLD_RANK" in\n'
                   '    0) exec env LSRECON_CACHE="$PWD/slow" "$@" ;;\n'
                   f'    *) exec env LSRECON_CACHE="$PWD/fast" taskset -c {first} "$@" ;;\n'
                   'esac\n')
    for number, (_, words) in enumerate(cores.SCANS):
        command = ["recon", f"s{number}.h5", *words, "--quiet"]
        folder.run(0, [*command, "-o", "plain.h5"])
        by_ranks(folder, 2, 0, [*command, "-o", "ranks.h5"], ["--bind-to", "none", "sh",
                                                              "unlike.sh"])
        expect(contents(folder / "plain.h5") == contents(folder / "ranks.h5"),
               f"another image or record of {words}")


def every_q_is_written_once(make):
    """Of a frame that ranks share, and of frames that each solves alone."""
    folder = make()
    scan_of_frames(folder)
    library = ctypes.CDLL(None)
    for count, words in ((1, ["recon", "one.h5", "--engine", "exact", "--iterations", "4"]),
                         (2, FRAMES)):
        os.mkdir(folder / f"qs{count}")
        watch = library.inotify_init1(os.O_NONBLOCK)
        library.inotify_add_watch(watch, os.fsencode(folder / f"qs{count}"), COMES)
        by_ranks(folder, 3, 0, [*words, "-o", "x.h5", "--q-folder", f"qs{count}"])
        written = os.read(watch, 1 << 16).count(b".h5\0")
        os.close(watch)
        kept = os.listdir(folder / f"qs{count}")
        expect(written == len(kept) == count, f"{written} times: {kept}")


def an_error_is_said_once(make):
    folder = make()
    scan_of_frames(folder)
    for code, words, of in ((INPUT, ["recon", "none.h5", "-o", "x.h5"], "none.h5"),
                            (USAGE, ["recon", "many.h5"], "--output"),
                            (DEVICE, [*FRAMES, "-o", "x.h5", "--device", "none"], "none")):
        said = by_ranks(folder, 2, code, words)
        expect(said.count("lsrecon: ") == 1 and of in said, said)
    expect(not os.path.exists(folder / "x.h5"), "an image in spite of an error")


def an_error_of_one_rank_names_it(make):
    folder = make()
    scan_of_frames(folder)
    script = folder / "one.sh"
    with open(script, "w", encoding="utf-8") as file:
        file.write('[ "$OMPI_COMM_WORLD_RANK" != 1 ] || set -- "$@" --device none\n'
                   f'exec "{folder.program}" "$@"\n')
    process = subprocess.run([*MPIRUN, "2", "sh", script, *FRAMES, "-o", "x.h5"], cwd=folder.path,
                             env=ENVIRONMENT, capture_output=True, text=True, timeout=120,
                             check=False)
    expect(process.returncode == DEVICE, process.stderr)
    expect(process.stderr.count("lsrecon: rank 1: ") == 1, process.stderr)


def a_killed_rank_ends_the_job(make):
    folder = make()
    scan_of_frames(folder)
    folder.run(0, [*FRAMES, "-o", "plain.h5"])
    for rank in (0, 1):
        shutil.rmtree(folder / "x.h5.part", ignore_errors=True)
        process = start(folder, 2, [*FRAMES, "-o", "x.h5"])
        while frames_in(folder / "x.h5.part") < 3 and process.poll() is None:
            time.sleep(0.001)
        for child in children_of(process.pid):
            with open(f"/proc/{child}/environ", encoding="utf-8") as file:
                if f"OMPI_COMM_WORLD_RANK={rank}\0" in file.read():
                    os.kill(child, signal.SIGKILL)
        said = "".join(process.communicate(timeout=120))
        expect(process.returncode != 0 and f"process rank {rank}" in said and "signal 9" in said,
               f"exit {process.returncode}: {said}")
        expect(not os.path.exists(folder / "x.h5"), "an image of a job that was killed")
        expect(frames_in(folder / "x.h5.part") >= 3, "finished frames are lost")
        by_ranks(folder, 3, 0, [*FRAMES, "-o", "x.h5", "--resume"])
        expect(contents(folder / "plain.h5") == contents(folder / "x.h5"), "another image")
        os.remove(folder / "x.h5")


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(child) for child in file.read().split()]


def other_commands_run_once(make):
    folder = make()
    scan_of_frames(folder)
    expect(by_ranks(folder, 3, 0, ["--version"]).count("lsrecon") == 1, "the version, three times")
    for words in (["fhd", "one.h5", "-o", "x.h5"], ["info", "one.h5"]):
        plain = folder.run(0, words)
        said = by_ranks(folder, 3, 0, words).replace("x.h5 is there, and will be replaced\n", "", 1)
        expect(without_times(said) == without_times(plain.stdout + plain.stderr), said)


if __name__ == "__main__":
    sys.exit(run_cases([scans_of_a_list_are_dealt, frames_are_dealt, frames_are_certified_alike,
                        precision_is_decided_alike, a_single_frame_is_shared,
                        unlike_ranks_make_the_same_image, every_q_is_written_once,
                        an_error_is_said_once, an_error_of_one_rank_names_it,
                        a_killed_rank_ends_the_job, other_commands_run_once]))
