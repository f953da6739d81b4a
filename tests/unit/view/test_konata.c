/* SPDX-License-Identifier: Apache-2.0 */
/* Konata: an instruction from fetch to write-back, dependencies, flushes, memory. */
#include "tests.h"

#include <string.h>

#define SM "gpu.cluster[3].sm[0]."

/* Two instructions of a group; the second needs what the first writes. */
static const char *const two =
    "10\tfetch\t" SM "fetch\t5\tpc=0\n"
    "11\tdecode\t" SM "decode\t5\tpc=0 MOV\n"
    "11\tdecode\t" SM "decode\t5\tpc=10 IADD3\n"
    "12\tissue\t" SM "issue[0]\t5\tMOV pc=0 mask=ffffffff uid=7 dst=R1 line=9 to INT\n"
    "13\tcollect\t" SM "collector\t5\tMOV pc=0 uid=7 unit=1\n"
    "14\tdispatch\t" SM "collector\t5\tMOV pc=0 uid=7\n"
    "16\texec\t" SM "int[0]\t5\tMOV pc=0 uid=7 latency=2 interval=2\n"
    "18\twriteback\t" SM "writeback\t5\tMOV pc=0 uid=7\n"
    "20\tissue\t" SM "issue[0]\t5\tIADD3 pc=10 mask=ff uid=8 dst=R2 src=R1,R1,R255 to INT\n"
    "24\twriteback\t" SM "writeback\t5\tIADD3 pc=10 uid=8\n";

static void test_pipeline(void)
{
    g_autofree char *text = view_text(WW_VIEW_KONATA, two);
    g_assert_cmpstr(text, ==,
                    "Kanata\t0004\nC=\t10\n"
                    "I\t0\t0\t3005\nL\t0\t0\t3/5 0000: MOV\nS\t0\t0\tF\n"
                    "I\t1\t1\t3005\nL\t1\t0\t3/5 0010: IADD3\nS\t1\t0\tF\n"
                    "C\t1\n"
                    "E\t0\t0\tF\nS\t0\t0\tDc\nE\t1\t0\tF\nS\t1\t0\tDc\n"
                    "C\t1\n"
                    "E\t0\t0\tDc\nS\t0\t0\tIb\nE\t1\t0\tDc\nS\t1\t0\tIb\n"
                    "L\t0\t1\tSM 3 warp 5 uid 7\\npc 0\\nmask ffffffff\\ndst R1\\ntrace line 9\n"
                    "L\t0\t0\t R1\n"
                    "E\t0\t0\tIb\nS\t0\t0\tIs\n"
                    "C\t1\nE\t0\t0\tIs\nS\t0\t0\tOc\n"
                    "C\t1\nE\t0\t0\tOc\nS\t0\t0\tDp\n"
                    "C\t2\nE\t0\t0\tDp\nS\t0\t0\tX\n"
                    "C\t2\nE\t0\t0\tX\nS\t0\t0\tWb\n"
                    "C\t1\nE\t0\t0\tWb\nR\t0\t0\t0\n"
                    "C\t1\n"
                    "L\t1\t1\tSM 3 warp 5 uid 8\\npc 10\\nmask ff\\ndst R2\\nsrc R1,R1,R255\n"
                    "L\t1\t0\t R2 <- R1,R1,R255\n"
                    "W\t1\t0\t0\n" /* once, whatever how often it is read; R255 has no writer */
                    "E\t1\t0\tIb\nS\t1\t0\tIs\n"
                    "C\t4\nE\t1\t0\tIs\nS\t1\t0\tWb\n"
                    "C\t1\nE\t1\t0\tWb\nR\t1\t1\t0\n");
}

/*
 * A sub-core of a modern SM: fetch is a request of its own, control, allocate, read, execute, and what waits to be written; a unit with a queue is waited for in
 * front of it, and executes once, in the sub-core and the SM. The issuer's group is told.
 */
static void test_modern(void)
{
    g_autofree char *text = view_text(
        WW_VIEW_KONATA, "1\trequest\tsm.core[1].fetch\t5\tpc=0 result=sent\n"
                        "2\trequest\tsm.core[1].fetch\t5\tpc=10 result=sent\n"
                        "9\tdone\tsm.core[1].l0i\t5\taddr=7f0000000000\n"
                        "10\tfetch\tsm.core[1].fetch\t5\tpc=0\n"
                        "11\tdecode\tsm.buffers\t5\tFADD pc=0 uid=1\n"
                        "12\tissue\tsm.core[1].issue\t5\tFADD pc=0 uid=1 dst=R1\n"
                        "13\tcontrol\tsm.core[1].control\t5\tFADD pc=0 uid=1\n"
                        "15\tallocate\tsm.core[1].read\t5\tFADD pc=0 uid=1 stages=3\n"
                        "18\tread\tsm.core[1].read\t5\tFADD pc=0 uid=1\n"
                        "19\texec\tsm.core[1].sp\t5\tFADD pc=0 uid=1 latency=3 interval=1\n"
                        "24\tretire\tsm.core[1].writeback\t5\tFADD pc=0 uid=1\n"
                        "30\tissue\tsm.core[1].issue\t5\tDADD pc=10 uid=2\n"
                        "31\tcontrol\tsm.core[1].control\t5\tDADD pc=10 uid=2\n"
                        "35\texec\tsm.core[1].dp\t5\tDADD pc=10 uid=2\n"
                        "40\texec\tsm.dp\t5\tDADD pc=10 uid=2 latency=9 interval=2\n"
                        "50\tretire\tsm.core[1].writeback\t5\tDADD pc=10 uid=2\n"
                        "60\tvacate\tsm.core[1].fetch\t5\tcta=0\n");
    g_assert_nonnull(strstr(text, "SM 0 core[1] warp 5 uid 1"));
    const char *steps = strstr(text, "S\t0\t0\tIs\n");
    g_assert_true(g_str_has_prefix(text, "Kanata\t0004\nC=\t1\nI\t0\t1\t5\n"));
    g_assert_true(steps != NULL && g_str_has_prefix(steps, "S\t0\t0\tIs\n"
                                                           "C\t1\nE\t0\t0\tIs\nS\t0\t0\tCo\n"
                                                           "C\t2\nE\t0\t0\tCo\nS\t0\t0\tAl\n"
                                                           "C\t1\nE\t0\t0\tAl\nS\t0\t0\tRd\n"
                                                           "C\t3\nE\t0\t0\tRd\nS\t0\t0\tX\n"
                                                           "C\t3\nE\t0\t0\tX\nS\t0\t0\tWb\n"
                                                           "C\t3\nE\t0\t0\tWb\nR\t0\t0\t0\n"));
    steps = strstr(text, "S\t1\t0\tIs\n");
    g_assert_true(steps != NULL && g_str_has_prefix(steps, "S\t1\t0\tIs\n"
                                                           "C\t1\nE\t1\t0\tIs\nS\t1\t0\tCo\n"
                                                           "C\t1\nE\t1\t0\tCo\nS\t1\t0\tDp\n"
                                                           "C\t3\nE\t1\t0\tDp\nS\t1\t0\tX\n"
                                                           "C\t14\nE\t1\t0\tX\nS\t1\t0\tWb\n"
                                                           "C\t2\nE\t1\t0\tWb\nR\t1\t1\t0\n"));
}

/* Not with strstr(): the address sanitizer's reads all that is left of the text each time. */
static uint32_t count(const char *text, const char *part)
{
    size_t length = strlen(part);
    uint32_t n = 0;
    for (const char *p = text; *p != '\0'; p++) {
        n += *p == *part && strncmp(p, part, length) == 0;
    }
    return n;
}

/* What is dropped from the i-buffer ends as flushed: told so, by an issue of what stood behind it, or when the warp leaves. */
static void test_flush(void)
{
    g_autofree char *text =
        view_text(WW_VIEW_KONATA, "1\tdecode\tsm.decode\t0\tpc=0 A\n"
                                  "1\tdecode\tsm.decode\t0\tpc=10 B\n"
                                  "2\tflush\tsm.issue\t0\ti-buffer holds pc=0, expected 40\n"
                                  "3\tdecode\tsm.decode\t0\tpc=40 C\n"
                                  "3\tdecode\tsm.decode\t0\tpc=50 D\n"
                                  "4\tissue\tsm.issue\t0\tD pc=50 uid=1 to INT\n"
                                  "5\tdecode\tsm.decode\t0\tpc=60 E\n"
                                  "6\tretire\tsm.fetch\t0\tcta=0\n");
    g_assert_nonnull(strstr(text, "R\t0\t0\t1\n"));
    g_assert_nonnull(strstr(text, "R\t1\t0\t1\n"));
    g_assert_nonnull(strstr(text, "R\t2\t0\t1\n"));
    g_assert_nonnull(strstr(text, "R\t4\t0\t1\n"));
    g_assert_cmpuint(count(text, "\nI\t"), ==, 5);
    g_assert_cmpuint(count(text, "\nR\t"), ==, 4); /* D has issued and is not over */
    g_assert_null(strstr(text, "\nR\t3\t"));
}

/* A store is over with its last answer, one to shared memory when the unit has passed it, a load when its register is written. */
static void test_memory(void)
{
    g_autofree char *text =
        view_text(WW_VIEW_KONATA, "1\tissue\tsm.issue\t0\tSTG pc=0 uid=1 src=R4 to MEM\n"
                                  "2\texec\tsm.ldst\t0\tSTG pc=0 uid=1 accesses=2 cycles=1\n"
                                  "3\trequest\tsm.ldst\t0\tGLOBAL_ACC_W sm=0 uid=1 req=1 addr=40\n"
                                  "3\trequest\tsm.ldst\t0\tGLOBAL_ACC_W sm=0 uid=1 req=2 addr=80\n"
                                  "4\tissue\tsm.issue\t0\tSTS pc=10 uid=2 src=R4 to MEM\n"
                                  "5\texec\tsm.ldst\t0\tSTS pc=10 uid=2 accesses=0 cycles=3\n"
                                  "6\tissue\tsm.issue\t0\tLDG pc=20 uid=3 dst=R9 src=R4 to MEM\n"
                                  "7\texec\tsm.ldst\t0\tLDG pc=20 uid=3 accesses=1 cycles=1\n"
                                  "8\trequest\tsm.ldst\t0\tGLOBAL_ACC_R sm=0 uid=3 req=3 addr=c0\n"
                                  "30\tdone\tsm.ldst\t0\tsm=0 uid=1 req=1\n"
                                  "40\tdone\tsm.ldst\t0\tsm=0 uid=3 req=3\n"
                                  "42\twriteback\tsm.ldst\t0\tuid=3 register register=9\n"
                                  "50\tdone\tsm.ldst\t0\tsm=0 uid=1 req=2\n");
    g_assert_nonnull(strstr(text, "S\t0\t0\tMX\n"));
    const char *shared = strstr(text, "R\t1\t0\t0\n"), *load = strstr(text, "R\t2\t1\t0\n"),
               *store = strstr(text, "R\t0\t2\t0\n");
    g_assert_true(shared != NULL && load != NULL && store != NULL);
    g_assert_true(shared < load && load < store);
    g_assert_true(g_str_has_suffix(text, "C\t7\nE\t0\t0\tMX\nR\t0\t2\t0\n")); /* 43 to 50 */
}

/* Of a store of a modern SM, which retires before its requests are done: its warp may have left. */
static const char *const store = "1\tissue\tsm.core[0].issue\t5\tSTG pc=0 uid=1 src=R6,R0\n"
                                 "2\tcontrol\tsm.core[0].control\t5\tSTG pc=0 uid=1\n"
                                 "4\texec\tsm.ldst\t5\tSTG pc=0 uid=1 accesses=2 cycles=0\n"
                                 "5\trequest\tsm.ldst\t5\tsm=0 uid=1 req=1 type=GLOBAL_ACC_W\n"
                                 "6\trequest\tsm.ldst\t5\tsm=0 uid=1 req=2 type=GLOBAL_ACC_W\n"
                                 "7\tretire\tsm.ldst\t5\tSTG pc=0 uid=1\n"
                                 "9\tvacate\tsm.core[0].fetch\t5\tcta=0\n"
                                 "30\tdone\tsm.ldst\t5\tsm=0 uid=1 req=1 type=GLOBAL_ACC_W\n"
                                 "40\tdone\tsm.ldst\t5\tsm=0 uid=1 req=2 type=GLOBAL_ACC_W\n";

static void test_store(void)
{
    for (WwViewFormat f = WW_VIEW_KONATA; f <= WW_VIEW_VCD; f++) {
        size_t size;
        g_auto(GStrv) notes = NULL;
        GError *error = NULL;
        WwViewSpec spec = {.format = f};
        g_autofree char *text = view_draw(&spec, store, &size, &notes, &error);
        g_assert_no_error(error);
        for (char **n = notes; *n != NULL; n++) {
            g_assert_null(strstr(*n, "left out"));
        }
        if (f == WW_VIEW_KONATA) {
            g_assert_true(g_str_has_suffix(text, "S\t0\t0\tMX\nC\t35\nE\t0\t0\tMX\nR\t0\t0\t0\n"));
        }
    }
    /* one that is answered before it retires is over then */
    g_autofree char *early =
        view_text(WW_VIEW_KONATA, "1\tissue\tsm.core[0].issue\t5\tSTG pc=0 uid=1 src=R6\n"
                                  "2\tcontrol\tsm.core[0].control\t5\tSTG pc=0 uid=1\n"
                                  "5\trequest\tsm.ldst\t5\tsm=0 uid=1 req=1\n"
                                  "6\tdone\tsm.ldst\t5\tsm=0 uid=1 req=1\n"
                                  "9\tretire\tsm.ldst\t5\tSTG pc=0 uid=1\n");
    g_assert_true(
        g_str_has_suffix(early, "E\t0\t0\tMX\nS\t0\t0\tWb\nC\t1\nE\t0\t0\tWb\nR\t0\t0\t0\n"));
}

/* A request that no instruction made, a prefetch, is drawn by itself, also where one of an instruction has its number. */
static void test_prefetch(void)
{
    size_t size;
    g_auto(GStrv) notes = NULL;
    GError *error = NULL;
    WwViewSpec spec = {.format = WW_VIEW_PERFETTO};
    g_autofree char *text = view_draw(&spec,
                                      "1\tissue\tsm.core[0].issue\t5\tLDG pc=0 uid=1 dst=R6\n"
                                      "5\trequest\tsm.ldst\t5\tsm=0 uid=1 req=1\n"
                                      "6\tmiss\tsm.l1d\t5\tsm=0 req=1 type=GLOBAL_ACC_R\n"
                                      "7\tmiss\tsm.l1d\t5\tsm=0 uid=1 req=1\n"
                                      "8\tsend\tsm.l1d\t5\tsm=0 req=1 type=GLOBAL_ACC_R\n"
                                      "9\tdone\tsm.ldst\t5\tsm=0 uid=1 req=1\n",
                                      &size, &notes, &error);
    g_assert_no_error(error);
    g_assert_nonnull(text);
    for (char **n = notes; *n != NULL; n++) {
        g_assert_null(strstr(*n, "left out"));
    }
}

/* What a load/store unit with write-back has written in a modern SM is over when it retires. */
static void test_written(void)
{
    size_t size;
    g_auto(GStrv) notes = NULL;
    GError *error = NULL;
    g_autofree char *text = view_draw(&(WwViewSpec){0},
                                      "1\tissue\tsm.core[0].issue\t5\tLDG pc=0 uid=1 dst=R6\n"
                                      "2\tcontrol\tsm.core[0].control\t5\tLDG pc=0 uid=1\n"
                                      "5\trequest\tsm.ldst\t5\tsm=0 uid=1 req=1\n"
                                      "6\tdone\tsm.ldst\t5\tsm=0 uid=1 req=1\n"
                                      "7\twriteback\tsm.ldst\t5\tuid=1 register register=6\n"
                                      "9\tretire\tsm.core[0].writeback\t5\tLDG pc=0 uid=1\n",
                                      &size, &notes, &error);
    g_assert_no_error(error);
    g_assert_true(g_str_has_suffix(text, "C\t2\nE\t0\t0\tMX\nS\t0\t0\tWb\n"
                                         "C\t3\nE\t0\t0\tWb\nR\t0\t0\t0\n"));
    g_assert_null(strstr(notes[0] != NULL ? notes[0] : "", "left out"));
}

/* Of so many stores that retire before they are answered, if they are. */
static char *many_stores(uint32_t n, bool answered)
{
    GString *log = g_string_new(NULL);
    for (uint32_t i = 1; i <= n; i++) {
        g_string_append_printf(log,
                               "%u\tissue\tsm.issue\t5\tSTG pc=0 uid=%u src=R6\n"
                               "%u\trequest\tsm.ldst\t5\tsm=0 uid=%u req=%u\n"
                               "%u\tretire\tsm.ldst\t5\tSTG pc=0 uid=%u\n",
                               i, i, i, i, i, i, i);
        if (answered) {
            g_string_append_printf(log, "%u\tdone\tsm.ldst\t5\tsm=0 uid=%u req=%u\n", i, i, i);
        }
    }
    return g_string_free(log, false);
}

/* Where no answer is among the events, no more than so many wait for one; the others end when they retire. */
static void test_unanswered(void)
{
    const uint32_t most = 1 << 16;
    size_t size;
    g_auto(GStrv) notes = NULL;
    g_autofree char *none = many_stores(most + 2, false), *all = many_stores(most + 2, true);
    g_autofree char *text = view_text(WW_VIEW_KONATA, none);
    g_assert_cmpuint(count(text, "\nI\t"), ==, most + 2);
    g_assert_cmpuint(count(text, "\nR\t"), ==, 2);
    g_autofree char *ended = view_draw(&(WwViewSpec){0}, all, &size, &notes, NULL);
    g_assert_cmpuint(count(ended, "\nR\t"), ==, most + 2);
    g_assert_cmpuint(count(ended, "\tWb\n"), ==, 0);
    g_assert_null(strstr(notes[0] != NULL ? notes[0] : "", "left out"));
}

/* A decoding that says the uid is that of the issue with this uid, whatever has the same pc. */
static void test_named(void)
{
    g_autofree char *text =
        view_text(WW_VIEW_KONATA, "1\tdecode\tsm.decode\t0\tA pc=0 uid=4\n"
                                  "1\tdecode\tsm.decode\t0\tA pc=0 uid=5\n"
                                  "2\tissue\tsm.issue\t0\tA pc=0 uid=5 to INT\n");
    g_assert_nonnull(strstr(text, "R\t0\t0\t1\n"));
    g_assert_nonnull(strstr(text, "L\t1\t1\tSM 0 warp 0 uid 5"));
}

static void test_selected(void)
{
    size_t size;
    char **notes;
    GError *error = NULL;
    WwViewSpec spec = {.has_sm = true, .sm = 4};
    g_autofree char *none = view_draw(&spec, two, &size, NULL, &error);
    g_assert_cmpstr(none, ==, "Kanata\t0004\n");
    spec = (WwViewSpec){.has_sm = true, .sm = 3, .has_warp = true, .warp = 5, .to = 13};
    g_autofree char *begin = view_draw(&spec, two, &size, NULL, &error);
    g_assert_true(g_str_has_suffix(begin, "S\t0\t0\tOc\n"));
    spec = (WwViewSpec){.from = 13};
    g_autofree char *end = view_draw(&spec, two, &size, &notes, &error);
    g_assert_true(g_str_has_prefix(end, "Kanata\t0004\nC=\t20\nI\t0\t8\t3005\n"));
    g_assert_true(g_str_has_prefix(notes[0], "4 events are left out, since the issue"));
    g_strfreev(notes);
}

static const struct {
    WwViewSpec spec;
    const char *log, *says;
} nothing[] = {
    {{.has_sm = true, .sm = 99}, two, "nothing that was asked for is drawn: no event is of SM 99"},
    {{.has_sm = true, .sm = 3, .has_warp = true, .warp = 99}, two, ": no event is of warp 99"},
    {{.has_sm = true, .sm = 4, .has_warp = true, .warp = 6},
     two,
     ": no event is of SM 4, no event is of warp 6"},
    {{.paths = (const char *const[]){"nosuch", "*.nor[?]", NULL}},
     two,
     ": no event has a path like 'nosuch' or '*.nor[?]'"},
    {{.from = 30, .to = 40}, two, ": no event is in cycles 30 to 40"},
    {{.from = 25}, two, ": no event is in cycle 25 or later"},
    {{.to = 10, .paths = (const char *const[]){"*.decode", NULL}}, two, ": no event is all of it"},
    {{.has_sm = true, .sm = 3}, "", ": there are no events"},
};

/* The notes of a picture, one a line. */
static char *notes_of(const WwViewSpec *spec, WwViewFormat format, const char *log)
{
    size_t size;
    g_auto(GStrv) notes = NULL;
    GError *error = NULL;
    WwViewSpec s = *spec;
    s.format = format;
    g_autofree char *text G_GNUC_UNUSED = view_draw(&s, log, &size, &notes, &error);
    g_assert_no_error(error);
    return g_strjoinv("\n", notes);
}

/* A picture of nothing is told, and why it is one. */
static void test_nothing(void)
{
    const WwViewSpec all = {0}, some = {.has_sm = true, .sm = 3, .has_warp = true, .warp = 5};
    const char *const kernel = "1\tkernel\tgpu.kernels\t-1\tlaunch kernel=1\n";
    for (WwViewFormat f = WW_VIEW_KONATA; f <= WW_VIEW_VCD; f++) {
        for (size_t i = 0; i < G_N_ELEMENTS(nothing); i++) {
            g_autofree char *notes = notes_of(&nothing[i].spec, f, nothing[i].log);
            if (!g_str_has_suffix(notes, nothing[i].says)) {
                g_error("case %zu in %s: '%s'", i, ww_view_formats[f], notes);
            }
        }
        g_autofree char *good = notes_of(&some, f, two), *other = notes_of(&all, f, kernel);
        g_assert_null(strstr(good, "nothing"));
        g_assert_true((strstr(other, "nothing is drawn: none of the events") != NULL) ==
                      (f == WW_VIEW_KONATA));
    }
}

/* A damaged log says another warp of an instruction than the one that issued it: it ends all the same, and no other one does. */
static void test_other_warp(void)
{
    g_autofree char *text =
        view_text(WW_VIEW_KONATA, "1\tissue\tsm.issue\t0\tLDG pc=0 uid=1 dst=R1\n"
                                  "2\texec\tsm.ldst\t0\tLDG pc=0 uid=1 accesses=1\n"
                                  "3\tissue\tsm.issue\t0\tMOV pc=10 uid=2 dst=R2\n"
                                  "5\twriteback\tsm.writeback\t5\tMOV pc=10 uid=2\n"
                                  "8\tretire\tsm.fetch\t5\tcta=0\n"
                                  "20\twriteback\tsm.writeback\t0\tLDG pc=0 uid=1\n"
                                  "30\tretire\tsm.fetch\t0\tcta=0\n");
    g_assert_true(g_str_has_suffix(text, "C\t2\nE\t1\t0\tIs\nS\t1\t0\tWb\n"
                                         "C\t1\nE\t1\t0\tWb\nR\t1\t0\t0\n"
                                         "C\t14\nE\t0\t0\tX\nS\t0\t0\tWb\n"
                                         "C\t1\nE\t0\t0\tWb\nR\t0\t1\t0\n"));
}

/* What the log does not say is told. */
static void test_lacks(void)
{
    size_t size;
    char **notes;
    GError *error = NULL;
    g_autofree char *text G_GNUC_UNUSED =
        view_draw(&(WwViewSpec){0},
                  "1\trequest\tgpu.cluster[1].sm[1].ldst\t0\tGLOBAL_ACC_R addr=40\n"
                  "2\tmine\tgpu.x\t-1\tanything\n",
                  &size, &notes, &error);
    g_assert_no_error(error);
    g_assert_true(g_str_has_prefix(
        notes[0], "1 event of instructions or requests says no uid=, and is left"));
    g_assert_true(g_str_has_prefix(notes[1], "the log does not say which number an SM has"));
    g_strfreev(notes);
}

void test_konata(void)
{
    g_test_add_func("/view/konata/modern", test_modern);
    g_test_add_func("/view/konata/pipeline", test_pipeline);
    g_test_add_func("/view/konata/other-warp", test_other_warp);
    g_test_add_func("/view/konata/flush", test_flush);
    g_test_add_func("/view/konata/memory", test_memory);
    g_test_add_func("/view/konata/store", test_store);
    g_test_add_func("/view/konata/written", test_written);
    g_test_add_func("/view/perfetto/prefetch", test_prefetch);
    g_test_add_func("/view/konata/unanswered", test_unanswered);
    g_test_add_func("/view/konata/named", test_named);
    g_test_add_func("/view/konata/nothing", test_nothing);
    g_test_add_func("/view/konata/selected", test_selected);
    g_test_add_func("/view/konata/lacks", test_lacks);
}
