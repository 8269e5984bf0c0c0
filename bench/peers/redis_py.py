"""redis-py's Lock as a peer of the benchmark: redis_py.py SOCKET. bench/peer.hpp says how it is spoken to.

A caller is a thread with a connection of the shared pool, as redis-py makes it by default. A waiter asks again every
0.1 s: the default of Lock's sleep.
"""

import platform
import sys
import threading
import time

import redis

TTL = 30
TTL_HELD = 60


def in_threads(count, work):
    """Runs work(number) in each thread. Gives the seconds from the moment that all of them are there."""
    begin = threading.Barrier(count + 1)
    failures = []

    def run(number):
        begin.wait()
        try:
            work(number)
        except Exception as failure:  # told by the main thread
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    begin.wait()
    begun = time.monotonic()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return time.monotonic() - begun


def timed(work):
    used = time.process_time()
    begun = time.monotonic()
    took = work() or time.monotonic() - begun
    return f"done {took} {time.process_time() - used}"


class Watch:
    """What is seen of the hand-overs of one name, by whoever takes part."""

    def __init__(self, participants, wanted):
        self.wanted = wanted
        self.passing = participants
        self.waiting = []  # the one that called acquire first is first
        self.owned = [0] * participants
        self.latencies = []
        self.in_order = 0
        self.owner = None
        self.released = None
        self.changed = threading.Condition()

    def ended(self):
        return len(self.latencies) >= self.wanted

    def asks(self, who):
        with self.changed:
            self.waiting.append(who)

    def owns(self, who):
        now = time.monotonic()
        with self.changed:
            first = self.waiting[0] == who
            self.waiting.remove(who)
            if self.ended():
                return
            self.owner = who
            self.changed.notify_all()
            # All asked at the same moment first: until each could have had its turn no order could be kept.
            self.passing -= 1
            if self.passing >= 0:
                return
            self.latencies.append((now - self.released) * 1000)
            self.in_order += first
            self.owned[who] += 1

    def releases(self):
        self.released = time.monotonic()

    def wait_for_another(self, who):
        with self.changed:
            self.changed.wait_for(lambda: self.owner != who or self.ended())

    def answer(self):
        jain = sum(self.owned) ** 2 / (len(self.owned) * sum(each * each for each in self.owned))
        latencies = " ".join(str(latency) for latency in self.latencies)
        return f"done {latencies} | {self.in_order / len(self.latencies)} | {jain}"


class Peer:
    def __init__(self, socket):
        self.redis = redis.Redis(unix_socket_path=socket)
        self.redis.ping()
        self.held = []

    def cycle(self, callers, times):
        locks = [self.redis.lock(f"cycle:{caller}", timeout=TTL) for caller in range(callers)]

        def both(caller):
            for _ in range(times):
                locks[caller].acquire()
                locks[caller].release()

        return timed(lambda: both(0) if callers == 1 else in_threads(callers, both))

    def handover(self, waiters, times, aside=""):
        watch = Watch(waiters + 1, times)

        def take_part(who):
            lock = self.redis.lock("hand-over", timeout=TTL)
            while not watch.ended():
                watch.asks(who)
                lock.acquire()
                watch.owns(who)
                if not watch.ended():
                    time.sleep(0.001)
                watch.releases()
                lock.release()
                if aside:
                    watch.wait_for_another(who)

        in_threads(waiters + 1, take_part)
        return watch.answer()

    def hold(self, count):
        self.held = [self.redis.lock(f"held:{number}", timeout=TTL_HELD) for number in range(count)]
        for lock in self.held:
            lock.acquire()
        return "done"

    def renew(self):
        """One thread: Lock cannot be pipelined, and more threads only wait for the interpreter."""

        def each():
            for lock in self.held:
                lock.extend(TTL_HELD, replace_ttl=True)

        return timed(each)

    def drop(self):
        for lock in self.held:
            lock.release()
        self.held = []
        return "done"

    def answer(self, word, *arguments):
        if word not in ("cycle", "handover", "hold", "renew", "drop"):
            return "unsupported"
        return getattr(self, word)(*(int(it) if it.isdigit() else it for it in arguments))


def main():
    try:
        peer = Peer(sys.argv[1])
        print(f"ready redis-py {redis.__version__}, Python {platform.python_version()}", flush=True)
        for line in sys.stdin:
            if line.strip() == "quit":
                return 0
            print(peer.answer(*line.split()), flush=True)
        return 0
    except Exception as failure:
        print("error", repr(failure), flush=True)
        return 1


sys.exit(main())
