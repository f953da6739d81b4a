// SPDX-License-Identifier: Apache-2.0
//
// The workloads of bench/floor.c in SystemC, written the cheapest way SystemC has: an SC_METHOD sensitive to its input signal, which
// writes its output signal; no clock, so that only what moves is activated. Timed: an SC_METHOD that renotifies its own timed sc_event.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

static constexpr int SMS = 80, PARTS = 40;
static uint64_t activations;

static double seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

struct Source : sc_core::sc_module {
    sc_core::sc_out<uint64_t> out;
    sc_core::sc_event next;
    int interval;
    uint64_t sent = 0;
    SC_HAS_PROCESS(Source);
    Source(sc_core::sc_module_name name, int every) : sc_module(name), out("out"), interval(every)
    {
        SC_METHOD(turn);
        sensitive << next;
    }
    void turn()
    {
        activations++;
        if (interval != 0) {
            sent += 100000; // every token is a change of value
            out.write(sent);
            next.notify(interval, sc_core::SC_NS);
        }
    }
};

struct Stage : sc_core::sc_module {
    sc_core::sc_in<uint64_t> in;
    sc_core::sc_out<uint64_t> out;
    SC_HAS_PROCESS(Stage);
    explicit Stage(sc_core::sc_module_name name) : sc_module(name), in("in"), out("out")
    {
        SC_METHOD(turn);
        sensitive << in;
        dont_initialize();
    }
    void turn()
    {
        activations++;
        out.write(in.read() + 1);
    }
};

struct Sink : sc_core::sc_module {
    sc_core::sc_in<uint64_t> in;
    uint64_t sum = 0;
    SC_HAS_PROCESS(Sink);
    explicit Sink(sc_core::sc_module_name name) : sc_module(name), in("in")
    {
        SC_METHOD(turn);
        sensitive << in;
        dont_initialize();
    }
    void turn()
    {
        activations++;
        sum += in.read();
    }
};

static uint64_t fired;

struct Timed : sc_core::sc_module {
    sc_core::sc_event event;
    uint64_t state;
    uint32_t span;
    SC_HAS_PROCESS(Timed);
    Timed(sc_core::sc_module_name name, uint32_t i, uint32_t pending)
        : sc_module(name), state(i * 7919u + 1), span(2 * pending)
    {
        SC_METHOD(turn);
        sensitive << event;
        dont_initialize();
        event.notify(1 + i % span, sc_core::SC_NS);
    }
    void turn()
    {
        fired++;
        state = state * 6364136223846793005u + 1442695040888963407u;
        event.notify(1 + uint32_t(state >> 40) % span, sc_core::SC_NS);
    }
};

// One simulation a process: sc_main can elaborate only once.
int sc_main(int argc, char **argv)
{
    std::string what = argc > 1 ? argv[1] : "";
    double scale = argc > 2 ? atof(argv[2]) : 1.0;
    std::vector<std::unique_ptr<sc_core::sc_module>> keep;
    std::vector<std::unique_ptr<sc_core::sc_signal<uint64_t>>> wires;
    if (what.rfind("timed_", 0) == 0) {
        uint32_t pending = uint32_t(atoi(what.c_str() + 6));
        for (uint32_t i = 0; i < pending; i++) {
            keep.emplace_back(new Timed(("t" + std::to_string(i)).c_str(), i, pending));
        }
        sc_core::sc_start(10, sc_core::SC_NS);
        fired = 0;
        double start = seconds();
        while (double(fired) < 2e6 * scale) {
            sc_core::sc_start(10000, sc_core::SC_NS);
        }
        printf("%s_ns_per_event %.2f\n", what.c_str(), 1e9 * (seconds() - start) / double(fired));
        return 0;
    }
    int percent = what.rfind("active_", 0) == 0 ? atoi(what.c_str() + 7) : 100;
    int interval = percent == 0 ? 0 : 100 / percent;
    double ticks = (percent == 0 ? 1e6 : percent == 10 ? 4e4 : 1e4) * scale;
    for (int sm = 0; sm < SMS; sm++) {
        sc_core::sc_signal<uint64_t> *last = nullptr;
        for (int i = 0; i < PARTS; i++) {
            std::string name = "p" + std::to_string(sm) + "_" + std::to_string(i);
            sc_core::sc_signal<uint64_t> *wire = nullptr;
            if (i != PARTS - 1) {
                wires.emplace_back(wire = new sc_core::sc_signal<uint64_t>((name + "w").c_str()));
            }
            if (i == 0) {
                auto *s = new Source(name.c_str(), interval);
                s->out(*wire);
                keep.emplace_back(s);
            } else if (i == PARTS - 1) {
                auto *s = new Sink(name.c_str());
                s->in(*last);
                keep.emplace_back(s);
            } else {
                auto *s = new Stage(name.c_str());
                s->in(*last);
                s->out(*wire);
                keep.emplace_back(s);
            }
            last = wire;
        }
    }
    sc_core::sc_start(100, sc_core::SC_NS);
    activations = 0;
    double start = seconds();
    sc_core::sc_start(ticks, sc_core::SC_NS);
    double t = seconds() - start;
    if (activations != 0) {
        printf("active_%d_ns_per_activation %.2f\n", percent, 1e9 * t / double(activations));
    }
    printf("active_%d_ns_per_sm_cycle %.3f\n", percent, 1e9 * t / ticks / SMS);
    return 0;
}
