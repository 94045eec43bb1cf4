# cython: boundscheck=True, wraparound=True
"""Gather the attributes of events into columns, from the calls of an XML parser, ten or so per event."""

cdef class Column:
    """The values of one attribute. `rows` has the events that have it, or is None as long as all have it."""

    cdef public list values, rows

    def __init__(self):
        self.values = []

    cdef put(self, Py_ssize_t row, value):
        """Set the value of an event; the last counts if there are several."""
        cdef Py_ssize_t size = len(self.values)
        if self.rows is None:
            if size == row:
                self.values.append(value)
                return
            if size == row + 1:
                self.values[row] = value
                return
            self.rows = list(range(size))
        if self.rows and <Py_ssize_t>self.rows[-1] == row:
            self.values[-1] = value
        else:
            self.rows.append(row)
            self.values.append(value)

    cdef pop(self, Py_ssize_t row):
        """Remove and return the value of the last event, or None if it has none."""
        if self.rows is None:
            return self.values.pop() if <Py_ssize_t>len(self.values) == row + 1 else None
        if self.rows and <Py_ssize_t>self.rows[-1] == row:
            self.rows.pop()
            return self.values.pop()
        return None


cdef class EventColumns:
    """Handlers of the starts and ends of elements.

    `reader` is asked about everything but the plain attributes of events: its `start_part(depth, tag,
    attributes)` returns whether an event begins, its `attribute(tag, attributes)` a key and a value or
    None, its `end_part(depth)` whatever it likes; `trace` is the trace of the event that ends.
    """

    cdef object reader
    cdef dict columns
    cdef list traces, starts
    cdef Py_ssize_t size, depth
    cdef bint in_event

    def __init__(self, reader):
        self.reader = reader
        self.columns = {}
        self.traces, self.starts = [], []

    def start(self, str tag, list attributes):
        """Begin an element; `attributes` are its keys and values in turn."""
        self.depth += 1
        if self.depth < 4:
            self.in_event = self.reader.start_part(self.depth, tag, attributes)
        elif self.depth > 4:
            self.reader.start_part(self.depth, tag, attributes)
        elif self.in_event:
            # Nearly all attributes are written like this.
            if len(attributes) == 4 and attributes[0] == "key" and attributes[2] == "value":
                self.put(attributes[1], attributes[3])
            else:
                found = self.reader.attribute(tag, attributes)
                if found is not None:
                    self.put(found[0], found[1])

    def end(self, str tag):
        """End an element."""
        self.depth -= 1
        if self.depth == 2:
            if self.in_event:
                self.in_event = False
                trace = self.reader.trace
                if not self.traces or self.traces[-1] is not trace:
                    self.traces.append(trace)
                    self.starts.append(self.size)
                self.size += 1
        elif self.depth == 1:
            self.reader.end_part()

    cdef put(self, key, value):
        cdef Column column = self.columns.get(key)
        if column is None:
            column = self.columns[key] = Column()
        column.put(self.size, value)

    def take(self):
        """Return and forget the complete events: their number, columns, traces, and where traces begin."""
        cdef Column column, rest
        cdef dict columns = {}, left = {}
        for key, column in self.columns.items():
            # What the parser has read of the next event stays.
            value = column.pop(self.size)
            if value is not None:
                rest = left[key] = Column()
                rest.values.append(value)
            if column.values:
                columns[key] = column
        taken = self.size, columns, self.traces, self.starts
        self.columns, self.traces, self.starts, self.size = left, [], [], 0
        return taken
