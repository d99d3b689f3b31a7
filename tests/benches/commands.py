"""The command beside its peers, for `cargo xtask bench`: one row a ratio, all of one run.

    commands.py ROCPKG SCRATCH RATES

ROCPKG is the command, SCRATCH an empty folder in which `1000` and `10000` hold models of so many packages, RATES what
`rates` printed. superflore is imported if this Python has it.
"""
import os, shutil, statistics, subprocess, sys, time
from pathlib import Path

os.environ.pop("ROCPKG_CACHE", None)
ROCPKG, SCRATCH, RATES = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
NOBODY = 65534


def run(*command, status=0, cwd=None):
    """Wall seconds and peak MiB of one run."""
    start = time.perf_counter()
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd)
    _, ended, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(ended)
    if child.returncode != status:
        sys.exit(f"{' '.join(map(str, command))} ended with {child.returncode}, not {status}")
    return wall, usage.ru_maxrss / 1024


def row(what, ours, peer, goal):
    print(f"{what:<58} {ours:>22} {peer:>30}   goal: {goal}")


def seconds(s):
    return f"{s:.2f} s" if s >= 1 else f"{s * 1000:.1f} ms" if s >= 0.001 else f"{s * 1e6:.0f} us"


def medians(count, **runs):
    """The median of each, run in turn, so that what else the machine does is shared; each is told which run it is."""
    times = {name: [] for name in runs}
    for i in range(count):
        for name, how in runs.items():
            times[name].append(how(i)[0])
    return {name: statistics.median(t[1:]) for name, t in times.items()}


def trees():
    shown, w = SCRATCH / "shown", SCRATCH / "trees"
    w.mkdir()
    run(ROCPKG, "render", "--out", shown)
    m = medians(
        22,
        ours=lambda i: run(ROCPKG, "render", "--out", w / f"r{i}"),
        cp=lambda i: run("cp", "-r", shown, w / f"c{i}"),
    )
    row("all trees, cp -r of them", seconds(m["ours"]), f"{seconds(m['cp'])} x{m['ours'] / m['cp']:.1f}", "x2")

    def instead(name, command):
        return lambda i: run("sh", "-c", f"rm -rf '{w}/{name}'; exec {command} '{w}/{name}'")

    m = medians(22, ours=instead("r", f"'{ROCPKG}' render --out"), cp=instead("c", f"cp -r '{shown}'"))
    row("the same in the place of a tree that is removed first", seconds(m["ours"]), f"{seconds(m['cp'])} x{m['ours'] / m['cp']:.1f}", "x2")
    m = medians(
        22,
        ours=lambda i: run(ROCPKG, "render", "--out", shown),
        read=lambda i: run("sh", "-c", f"find '{shown}' -type f -exec cat {{}} +"),
    )
    row("into an up-to-date folder, reading it", seconds(m["ours"]), f"{seconds(m['read'])} x{m['ours'] / m['read']:.1f}", "x1")
    kept = ("--cache", SCRATCH / "cache")
    run(ROCPKG, "render", *kept, "--out", shown)
    m = medians(
        22,
        ours=lambda i: run(ROCPKG, "render", *kept, "--out", w / f"k{i}"),
        cp=lambda i: run("cp", "-r", shown, w / f"d{i}"),
        again=lambda i: run(ROCPKG, "render", *kept, "--out", shown),
        read=lambda i: run("sh", "-c", f"find '{shown}' -type f -exec cat {{}} +"),
    )
    row("with --cache, all trees, cp -r of them", seconds(m["ours"]), f"{seconds(m['cp'])} x{m['ours'] / m['cp']:.1f}", "x2")
    row("with --cache, into an up-to-date folder, reading it", seconds(m["again"]), f"{seconds(m['read'])} x{m['again'] / m['read']:.1f}", "x1")
    peak = max(run(ROCPKG, "render", "--out", shown)[1] for _ in range(3))
    row("peak memory", f"{peak:.1f} MiB", "", "40 MiB")


def refused():
    typo = SCRATCH / "typo/components"
    typo.mkdir(parents=True)
    typo.joinpath("rocblas.yaml").write_text("targets: {excludes: [{targets: [gfx1o30], reason: a typo}]}\n")
    m = medians(22, ours=lambda i: run(ROCPKG, "render", "--profiles", typo.parent, "--out", SCRATCH / "never", status=2))
    row("a failing input is refused", seconds(m["ours"]), "", "50 ms")
    again = ("render", "--cache", SCRATCH / "cache", "--profiles", typo.parent, "--out", SCRATCH / "never")
    m = medians(22, ours=lambda i: run(ROCPKG, *again, status=2))
    row("with --cache, a failing input is refused again", seconds(m["ours"]), "", "50 ms")


def growth():
    for words in ("render", "render gentoo", "render arch", "render nix", "check", "list --json", "targets matrix --distro gentoo", "targets reach --distro gentoo gfx1100", "use extra900x"):
        found = []
        for packages in (1000, 10000):
            model = SCRATCH / str(packages)
            command = [ROCPKG, *words.split(), "--profiles", model]
            if words.startswith("render"):
                command += ["--out", SCRATCH / f"grown{packages}"]
            # What the many are built for in Arch is not known, which `check` says.
            found.append(min((run(*command, status=int(words == "check")) for _ in range(2)), key=lambda f: f[0]))
            shutil.rmtree(SCRATCH / f"grown{packages}", ignore_errors=True)
        (small, little), (large, much) = found
        row(f"{words}, 10,000 packages for 1,000", f"{seconds(large)}, {much:.0f} MiB", f"{seconds(small)}, {little:.0f} MiB x{large / small:.1f}, x{much / little:.1f}", "x11")


def rates():
    told = [line.split("\t") for line in RATES.read_text().splitlines() if line.count("\t") == 3]
    return {what: (int(count), int(size), float(time)) for what, count, size, time in told}


def rate(found):
    count, size, time = found
    return count / time, size / time / 1e6


def superflore(ours):
    try:
        from superflore.generators.ebuild.ebuild import Ebuild
    except ImportError:
        sys.exit("superflore is missing: cargo xtask bench installs it")

    def ebuild():
        e = Ebuild()
        e.name, e.distro, e.description = "hip_library", "noetic", "A library for GPUs that is built with CMake"
        e.src_uri = "https://github.com/ros-gbp/hip_library-release/archive/release/noetic/hip_library/1.0.0-0.tar.gz"
        e.upstream_license = ["MIT"]
        for arch in ("amd64", "arm64"):
            e.add_keyword(arch)
        # What stands outside of ROS is looked up on the network.
        for name in ("roscpp", "std_msgs", "tf2"):
            e.add_run_depend(name)
        for name in ("catkin", "message_generation"):
            e.add_build_depend(name)
        return e

    texts = 2000
    objects = [ebuild() for _ in range(texts)]
    start = time.perf_counter()
    size = sum(len(e.get_ebuild_text("Open Source Robotics Foundation", "BSD")) for e in objects)
    peer = rate((texts, size, time.perf_counter() - start))
    for what in ("ebuilds, from the plan", "ebuilds, printed and looked at"):
        mine = rate(ours[what])
        row(what, f"{mine[0]:.0f}/s, {mine[1]:.1f} MB/s", f"{peer[0]:.0f}/s, {peer[1]:.1f} MB/s x{mine[0] / peer[0]:.2f}, x{mine[1] / peer[1]:.2f}", "x1, then x5")
    for what in ("Nix files, from the plan", "Nix files, printed and looked at", "Nix files, by the formatter alone"):
        mine = rate(ours[what])
        row(what, f"{mine[0]:.0f}/s, {mine[1]:.1f} MB/s", "no peer on the index", "12,000/s")


def makepkg(ours):
    folders = sorted(p.parent for p in (SCRATCH / "shown/arch").glob("*/PKGBUILD"))
    work = SCRATCH / "makepkg"
    total = 0.0
    for folder in folders:
        at = work / folder.name
        shutil.copytree(folder, at)
        command = ["makepkg", "--printsrcinfo"]
        if os.geteuid() == 0:
            for path in (at, *at.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
            command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
        for path in (SCRATCH, work):
            path.chmod(0o755)
        total += run("env", "-i", "PATH=/usr/bin:/bin", f"HOME={at}", *command, cwd=at)[0]
    count, _, time_ = ours[".SRCINFO"]
    mine = time_ * len(folders) / count
    row(f".SRCINFO of {len(folders)} pkgbases, makepkg", seconds(mine), f"{seconds(total)} x{total / mine:.0f} faster", "x1,000 faster")


mine = rates()
trees()
refused()
growth()
superflore(mine)
makepkg(mine)
