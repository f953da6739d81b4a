# SPDX-License-Identifier: Apache-2.0
"""A command on a terminal of its own."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

END = b"\0the end"  # no command writes a NUL


def run_on_terminal(words, columns=80, streams=("stdout",), **popen):
    """Run the words with these of stdin, stdout and stderr on a terminal that wide (0: one that does not say); the others lead
    nowhere. Returns the exit status and what the terminal was sent, ends of lines as the command wrote them.

    Once nobody has a terminal open, what was written last may be lost. So it is held open here, and the end is a mark that is
    written when the command has ended."""
    ours, its = pty.openpty()
    try:
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        flags = termios.tcgetattr(its)
        flags[1] &= ~termios.OPOST
        termios.tcsetattr(its, termios.TCSANOW, flags)
        where = {name: its if name in streams else subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
        process = subprocess.Popen(words, **where, **popen)

        def mark_the_end():
            process.wait()
            os.write(its, END)

        ending = threading.Thread(target=mark_the_end)
        ending.start()
        text = b""
        while not text.endswith(END):
            text += os.read(ours, 65536)
        ending.join()
    finally:
        os.close(its)
        os.close(ours)
    return process.returncode, text[:-len(END)].decode()
