"""Runs emerge, or ebuild, once for each question, as JSON on standard input and output, in order.

    pretend.py EMERGE CONFIGURATION < [{"arguments": […], "environment": {…}, "package_use": […]}, …]

Each question runs the program EMERGE in a process of its own, with a copy of the folder CONFIGURATION (an /etc/portage)
and its own package.use. Portage is imported once and forked, which spares most of a short run. An answer is the exit
status, all that was printed, and the seconds of processor time that the process took:
{"status": 0, "output": "…", "seconds": 1.5}.
"""

import json
import os
import runpy
import shutil
import sys
import tempfile
import traceback

import _emerge.depgraph  # imported for the children
import _emerge.main


def child(emerge, root, question, output):
    """Becomes emerge. Never returns."""
    status = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
        os.environ.update(question["environment"], PORTAGE_CONFIGROOT=root)
        sys.argv = [emerge, *question["arguments"]]
        runpy.run_path(emerge, run_name="__main__")
        status = 0  # ebuild just ends, emerge exits
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else bool(end.code)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status or 0)


def start(emerge, configuration, question):
    root = tempfile.mkdtemp(prefix="pretend-", dir=os.getcwd())
    config = os.path.join(root, "etc/portage")
    shutil.copytree(configuration, config, symlinks=True)
    with open(os.path.join(config, "package.use"), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in question["package_use"])
    output = tempfile.TemporaryFile()
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        child(emerge, root, question, output)
    return process, (root, output)


def main():
    emerge, configuration = sys.argv[1:]
    questions = json.load(sys.stdin)
    answers, running = [None] * len(questions), {}

    def finish():
        process, status, used = os.wait4(-1, 0)
        index, root, output = running.pop(process)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
        output.close()
        shutil.rmtree(root)
        answers[index] = {
            "status": os.waitstatus_to_exitcode(status),
            "output": text,
            "seconds": used.ru_utime + used.ru_stime,
        }

    for index, question in enumerate(questions):
        process, about = start(emerge, configuration, question)
        running[process] = (index, *about)
        # The first one fills the cache of metadata for all others.
        while len(running) >= (os.cpu_count() or 1) if index else running:
            finish()
    while running:
        finish()
    json.dump(answers, sys.stdout)


main()
