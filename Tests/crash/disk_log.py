"""What a daemon did to its disk, read back (see interposer/disk.c), and the disks that a power cut
may leave of it."""

import collections
import os
import struct

STARTED, CREATED, WRITTEN, CUT, RENAMED, REMOVED, SYNC_BEGUN, SYNCED, SYNC_FAILED, SENT = range(10)
RECORD = struct.Struct("=QIIIIQqq")
BEGIN_MARK = struct.pack("=Q", 0x4b5349446472a5c3)
END_MARK = struct.pack("=Q", 0xc3a5726444495300)
SECTOR = 512

Record = collections.namedtuple("Record", "kind path other data file offset nanoseconds")


def read(path):
    """All records, in the order in which they happened; one that a kill cut short is left out."""
    with open(path, "rb") as file:
        content = file.read()
    records, place = [], 0
    while 0 <= place < len(content):
        end = place + RECORD.size
        if content.startswith(BEGIN_MARK, place) and end <= len(content):
            _, kind, path_bytes, other_bytes, data_bytes, *rest = RECORD.unpack_from(content, place)
            parts = []
            for count in (path_bytes, other_bytes, data_bytes):
                parts.append(content[end:end + count])
                end += count
            if content.startswith(END_MARK, end):
                names = [os.path.basename(part.decode()) for part in parts[:2]]
                records.append(Record(kind, *names, parts[2], *rest))
                place = end + len(END_MARK)
                continue
        place = content.find(BEGIN_MARK, place + 1)
    return records


class Change:
    """Something done to a file or to the directory; `is_durable` once a sync has covered it."""

    def __init__(self, record):
        self.record = record
        self.is_durable = False
        self.is_lost = False  # its sync failed: no later one covers what is in a file


class History:
    """The changes of one file, or of the directory, since what is on disk for certain."""

    def __init__(self, base):
        self.base = base
        self.changes = []
        self.begun = {}  # number of a sync that has begun: how many changes it covers

    def ended(self, number, succeeded):
        for change in self.changes[:self.begun.pop(number, 0)]:
            if succeeded and not change.is_lost:
                change.is_durable = True
            elif not change.is_durable:
                change.is_lost = self.forgets
        while self.changes and self.changes[0].is_durable:
            self.apply(self.base, self.changes.pop(0).record)
            self.begun = {number: max(count - 1, 0) for number, count in self.begun.items()}


def write(content, offset, data):
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


class FileHistory(History):
    # The system takes pages whose sync failed for clean, and never writes them again.
    forgets = True

    def __init__(self):
        super().__init__(bytearray())

    @staticmethod
    def apply(content, record):
        if record.kind == WRITTEN:
            write(content, record.offset, record.data)
        elif record.offset < len(content):
            del content[record.offset:]
        else:
            content.extend(bytes(record.offset - len(content)))

    def image(self, survives, tears):
        """`survives(record)` says of changes that nobody synced whether they are there; where
        `tears`, each sector of those writes is there or not by itself."""
        content = bytearray(self.base)
        for change in self.changes:
            record = change.record
            if change.is_durable or not (tears and record.kind == WRITTEN):
                if change.is_durable or survives(record):
                    self.apply(content, record)
                continue
            place = record.offset
            end = record.offset + len(record.data)
            while place < end:
                sector_end = min((place // SECTOR + 1) * SECTOR, end)
                if survives(record):
                    write(content, place,
                          record.data[place - record.offset:sector_end - record.offset])
                place = sector_end
        return content


class DirectoryHistory(History):
    # A file system that goes on after a failed sync of a directory goes on from where it was.
    forgets = False

    def __init__(self, names):
        super().__init__(names)

    @staticmethod
    def apply(names, record):
        if record.kind == REMOVED:
            names.pop(record.path, None)
            return
        if record.kind == RENAMED:
            names.pop(record.path, None)
        names[record.other or record.path] = record.file

    def image(self, survives):
        names = dict(self.base)
        for change in self.changes:
            if change.is_durable or survives(change.record):
                self.apply(names, change.record)
        return names


class Disk:
    """All files of one directory; takes records one by one.

    `files` are those that were there at the beginning, on disk: {name: (inode, content)}.
    """

    def __init__(self, files):
        self.files = collections.defaultdict(FileHistory)
        self.names = {name: inode for name, (inode, _) in files.items()}  # as they are now
        self.directory = DirectoryHistory(dict(self.names))
        self.inode = None
        for inode, content in files.values():
            self.files[inode].base[:] = content

    def take(self, record):
        if record.kind == STARTED:
            self.inode = record.file or self.inode
        elif record.kind in (CREATED, RENAMED, REMOVED):
            if record.kind == CREATED:
                self.files[record.file] = FileHistory()  # the number may be one used before
            elif record.kind == RENAMED:
                # A directory gets the file by its number, not what another had the name before.
                record = record._replace(file=self.names[record.path])
            DirectoryHistory.apply(self.names, record)
            self.directory.changes.append(Change(record))
        elif record.kind in (WRITTEN, CUT):
            self.files[record.file].changes.append(Change(record))
        elif record.kind != SENT:
            history = self.directory if record.file == self.inode else self.files[record.file]
            if record.kind == SYNC_BEGUN:
                history.begun[record.offset] = len(history.changes)
            else:
                history.ended(record.offset, record.kind == SYNCED)

    def pending(self):
        """The records of all changes that no sync has covered, oldest first."""
        histories = [self.directory, *self.files.values()]
        changes = [c for history in histories for c in history.changes if not c.is_durable]
        return sorted((c.record for c in changes), key=lambda record: record.nanoseconds)

    def image(self, draw):
        """One disk that a power cut at this moment may leave: (how it was made, {name: content})."""
        way = draw.choice(("nothing", "everything", "any", "any", "torn", "torn", "first", "last"))
        pending = self.pending()
        chosen = set()
        if way == "everything":
            chosen = set(map(id, pending))
        elif way in ("first", "last"):
            cut = draw.randint(0, len(pending))
            chosen = set(map(id, pending[:cut] if way == "first" else pending[cut:]))

        def survives(record):
            return draw.random() < 0.5 if way in ("any", "torn") else id(record) in chosen

        names = self.directory.image(survives)
        return way, {
            name: self.files[inode].image(survives, way == "torn") for name, inode in names.items()}
