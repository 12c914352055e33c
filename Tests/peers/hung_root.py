"""Connects to a socket from a root directory that never says what is in it.

usage: hung_root.py SOCKET (as root, in a mount namespace of its own)

Plays a FUSE file system that answers just enough to become the root of a process.
"""

import ctypes
import errno
import os
import signal
import socket
import struct
import sys

LOOKUP, INIT, FORGETS = 1, 26, (2, 42)
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)


def serve(device):
    """Greets the kernel; refuses every question, and leaves those for names unanswered."""
    while True:
        try:
            request = os.read(device, 1 << 20)
        except OSError:
            return
        _, opcode, unique = struct.unpack_from("=IIQ", request)
        if opcode == INIT:
            answer = struct.pack("=IIIIHHIIHHI28x", 7, 31, 65536, 0, 1, 1, 65536, 1, 1, 0, 0)
            code = 0
        elif opcode == LOOKUP or opcode in FORGETS:
            continue
        else:
            answer, code = b"", -errno.ENOSYS
        os.write(device, struct.pack("=IiQ", 16 + len(answer), code, unique) + answer)


def main(path):
    directory, name = os.path.split(path)
    place = os.path.join(directory, "hung")
    os.mkdir(place)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    if libc.mount(b"hung", place.encode(), b"fuse", 0, options) != 0:
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    if os.fork() == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        serve(device)
        os._exit(0)
    os.chdir(directory)
    os.chroot(place)
    client = socket.socket(socket.AF_UNIX)
    client.connect(name)
    client.recv(1)


main(sys.argv[1])
