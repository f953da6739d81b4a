/* SPDX-License-Identifier: Apache-2.0 */
/** @file What taps and the lines of the event log have in common. */
#pragma once

#include "turn-priv.h"
#include <pthread.h>

/** What the lines of one kind that a component writes have between the cycle and the unit. */
typedef struct LogHead {
    const WwEventRow *row; /**< NULL: of tokens, or of no row. */
    struct LogHead *next;
    const WwEventKept *kept; /**< Of the component's tokens, if any. */
    const char *kind;
    const WwComponent *component;
    uint32_t n, at_path;
    uint32_t domain;
    uint32_t n_fields; /**< Of the row. */
    bool wanted;       /**< The filter lets it through: */
    bool brief;        /**< all of them, and nobody else asks: they may be kept. */
    char text
        []; /**< "\tissue\tgpu.sm[0].issue[1]\t", behind it what tokens have then, and more: LOG_COPY bytes are copied at a time. */
} LogHead;
#define LOG_COPY 64u
/** What a token has between its head and the number of its slot. */
#define LOG_OF_SLOT "-1\tslot="
#define LOG_SLOT (sizeof(LOG_OF_SLOT) - 1)
/** Beyond the end of a room, for what is copied with room to spare. */
#define LOG_STEP 64u
/** Cycle, unit, a line's end: bytes at most. */
#define LOG_NUMBERS 64u
/** Of a kind and a path whose lines are kept: bytes at most. */
#define LOG_MOST_HEAD 1024u
/** Units from which on, or below 0, a line is not kept, but written. */
#define LOG_UNITS 100u
/** Slots, likewise. */
#define LOG_SLOTS 10u
/** So much of what is outside of windows goes to the file at once. */
#define LOG_PIECE (1u << 18)

#define NO_TICK UINT32_MAX
#define LOG_NO_HUNDREDS ((WwCycle)1 << 63)
/** In a window: lines up to where the next piece begins, which a partition wrote in one turn. Behind the last one in a chunk is a gap, of no tick. */
typedef struct LogPiece {
    uint32_t tick, place;
    const char *from;
} LogPiece;

/** Room for lines, of one partition after the other. */
typedef struct LogChunk {
    struct LogChunk *next;
    char *at;  /**< Where the next line goes, */
    char *end; /**< and up to where: LOG_STEP bytes more are there. */
    char text[];
} LogChunk;

/** Those with lines of this window, of one worker. */
typedef struct LogWorker {
    LogChunk *begun; /**< There is room in them; */
    LogChunk *spent; /**< in these there is none. */
} LogWorker;

/** The chunks of a log. */
typedef struct LogChunks {
    LogWorker of[WW_MAX_WORKERS];
    LogChunk *taken;      /**< Of the window before, which the thread has. */
    pthread_mutex_t lock; /**< For what follows, in a window. */
    LogChunk *empty;
    void **block; /**< Of which they are. */
    uint32_t n_blocks, room_blocks;
} LogChunks;

#define LOG_DIGITS 24u
/** Of any cycle that a run comes to: so many are copied. */
#define LOG_MOST_DIGITS 16u
/** The cycle of lines of a clock, as text. */
typedef struct LogCycle {
    WwCycle cycle;
    WwCycle hundreds; /**< Without the last two digits; LOG_NO_HUNDREDS: there are no others. */
    uint32_t n;
    char digits[LOG_DIGITS];
} LogCycle;

/** That may sleep, and writes its lines later. */
typedef struct LogLater {
    const Turn *turn;
    uint64_t turns; /**< It has had with that in which it said so: if it had more, that is over. */
} LogLater;

/** Lines behind each other: of a partition in a window, or those that go to the file next. */
typedef struct LogText {
    char *at;        /**< Where the next line goes: */
    char *most;      /**< from here on there is no room for one that is kept. */
    char *end;       /**< Of the room. */
    char *text;      /**< Of what goes to the file: where its room begins. */
    LogChunk *chunk; /**< Of a partition: where its room is; NULL: it has none now. */
    LogPiece *piece;
    uint32_t n_pieces, room_pieces;
    const WwPartition *partition; /**< In a window: whose, */
    LogHead **head;               /**< and the log's, */
    const LogHead **token;        /**< those of its tokens. */
    const Turn *turn;             /**< That the last piece is of, */
    uint32_t tick;                /**< and of which tick; NO_TICK: there is none. */
    uint32_t last_place;          /**< The greatest of any piece so far, */
    uint32_t last_tick;           /**< and of those that are there. */
    LogLater *later;
    uint32_t n_later, room_later;
} LogText;

/** A piece that is put in its place. */
typedef struct LogSorted {
    const char *from;
    uint32_t n, tick;
} LogSorted;

/** Text of some of a window's lines, behind each other. */
typedef struct LogPart {
    LogText out;
    LogCycle cycle[WW_MAX_DOMAINS]; /**< Of its last line of each clock. */
    uint64_t done;                  /**< Its number and one more, when it is there. */
} LogPart;
/** So many are told, or wait to be written, at a time: the first that is not written is the next that is. */
#define LOG_PARTS 4u

/** The lines of a window, in order, cut into parts. Whoever claims one tells it; numbers go on from window to window. */
typedef struct LogParts {
    LogPart at[LOG_PARTS];
    uint64_t base;    /**< Of the window's first; */
    uint64_t end;     /**< behind its last; */
    uint64_t next;    /**< the next that nobody has claimed; */
    uint64_t written; /**< and that is not written. */
    uint32_t
        *first; /**< [room_first] By number from the base: its first piece; behind the last, all. */
    uint32_t room_first;
} LogParts;

/** A partition whose notes are being merged. */
typedef struct Merged {
    uint64_t turn; /**< Of its next note. */
    uint32_t partition;
} Merged;

/** The thread of a log. */
typedef struct Scribe Scribe;

typedef struct Log {
    LogText out; /**< What goes to the file beside windows. */
    LogParts parts;
    LogText *of;   /**< [n_of + 1] Of partitions, in a window; of none, before it. */
    LogText *full; /**< [n_of + 1] Handed over before, for the thread, */
    WwCycle *time[WW_MAX_DOMAINS]; /**< [room_times] and the edges at the window's ticks. */
    uint32_t room_times;
    WwCycle noted[WW_MAX_DOMAINS];  /**< Of the last line of each clock outside of windows, */
    WwCycle told[WW_MAX_DOMAINS];   /**< and when that is told. */
    LogCycle cycle[WW_MAX_DOMAINS]; /**< As in a LogPart, of `out`. */
    LogChunks chunks;
    Scribe *scribe; /**< NULL: none. */
    bool apart;     /**< There may be one: nobody else writes to the file. */
    uint32_t n_of, n_heads;
    LogHead **head; /**< By component: the kinds that it wrote so far. */
    const LogHead *
        *token; /**< By channel and by LOG_TAKES(): of those, what its tokens are kept with. */
    const LogHead *
        badly; /**< Of a line of which tell() left something, or took more than there was; NULL: there is none. */
    LogSorted *sorted; /**< [2][room_sorted] */
    uint32_t *count;   /**< [room_count] */
    size_t room_sorted, room_count;
    Merged *merge;  /**< [n_all] A heap, the next one first. */
    uint32_t *next; /**< [n_all] Notes that are printed. */
    bool picky;     /**< The filter has cycles, a unit or fields. */
    char **fields;  /**< Of the filter; NULL: none. */
    char *outside;
} Log;

/** Room for the log of a machine as it is now. */
void ww_log_make(WwMachine *m);
void ww_log_free(WwMachine *m);
/** Does the filter let this kind through? */
bool ww_log_wants(const WwMachine *m, const char *kind);
/** How much goes to the file next. */
static inline size_t ww_log_bytes(const LogText *t)
{
    return (size_t)(t->at - t->text);
}
/** Room for @p n bytes of text, which stays behind each other, and for a line of what is kept. */
void ww_log_more_text(LogText *t, size_t n);
/** The same, if there is none for @p n bytes. */
static inline void ww_log_need_text(LogText *t, size_t n)
{
    if (G_UNLIKELY((size_t)(t->end - t->at) < n)) {
        ww_log_more_text(t, n);
    }
}
/** No time of a line is known. */
void ww_log_clear_cycles(LogCycle *cycle);
/** Room for @p n bytes, and for a line that is kept. What a partition writes then is another piece. */
void ww_log_more(Log *l, LogText *t, size_t n);
/** The same, if there is none for @p n bytes. */
static inline void ww_log_need(Log *l, LogText *t, size_t n)
{
    if (G_UNLIKELY((size_t)(t->end - t->at) < n)) {
        ww_log_more(l, t, n);
    }
}
/** Lines outside of windows go to another chunk from here on. */
void ww_log_leave_aside(Log *l);
/** All chunks with lines are the thread's. */
void ww_log_take_chunks(LogChunks *all);
/** The lines in those are written. */
void ww_log_give_chunks(LogChunks *all);
void ww_log_make_chunks(LogChunks *all);
void ww_log_free_chunks(LogChunks *all);
/** The head of lines of @p kind, and @p row if they are of one, which @p c writes for the first time; @p first: the log's. */
const LogHead *ww_log_head(LogHead **first, const WwComponent *c, const char *kind,
                           const WwEventRow *row);
/** Is it for the log, by the first clock's cycle @p core and its unit; by its text? */
bool ww_log_in_bounds(const WwMachine *m, WwCycle core, int64_t unit);
bool ww_log_wants_text(const Log *l, const WwComponent *c, const char *text);
/** Outside of windows. */
static inline LogText *ww_log_aside(const Log *l, LogText *of)
{
    return &of[l->n_of];
}
/** The lines that partitions wrote in a window, in the order of ticks, phases and turns. */
void ww_log_merge(WwMachine *m);
/** The same of those at @p of, behind what was written before the window. */
void ww_log_sort(WwMachine *m, LogText *of);
/** All lines so far are the thread's, or go to the log. */
void ww_log_hand_over(WwMachine *m, Log *l);
/** No line is in @p t. */
void ww_log_clear(LogText *t);
/** All lines so far go to the log. */
void ww_log_sort_all(WwMachine *m, Log *l);
/** Is there a part that may be told now? Tells it, if so. */
bool ww_log_can_help(const Log *l);
bool ww_log_help(Log *l);
/** Who waits for the log's thread may help it now. */
void ww_scribe_call(Log *l);
/** What is in @p l->out goes to the file. */
void ww_log_write(WwMachine *m, Log *l);
/** The log's thread takes the lines of the window. False: there is none. */
bool ww_scribe_take(WwMachine *m, Log *l);
/** Until it has written what it took. */
void ww_scribe_wait(Log *l);
void ww_scribe_end(Log *l);
/** 1: taken, 0: put. */
#define LOG_TAKES(verb) ((verb)[0] == 't')
/** What a channel's lines of tokens are; @p verb is "put" or "take". */
void ww_log_token(const WwChannel *channel, const char *verb, uint32_t slot, WwToken token);
/** In a window, in a turn of partition @p p: the time of @p c, for which the partition need not ask. */
static inline WwCycle ww_log_time_in(const WwPartition *p, const WwComponent *c)
{
    return c->machine->window.time[c->domain->index][p->done];
}
static inline bool ww_log_like_core(const WwComponent *c)
{
    const uint8_t *lane = c->machine->clock.lane_of;
    return lane[c->domain->index] == lane[0];
}
/**
 * The cycle of the first clock in which tick @p tick of the window is, for the filter: of what has its edges the component's own; of others the one
 * that begins with the last of its edges. (Tick 0 of a run may be before the first.)
 */
static inline WwCycle ww_log_core_in(const WwComponent *c, uint32_t tick)
{
    const WwCycle *edges = c->machine->window.time[0];
    return ww_log_like_core(c) ? edges[tick] : MAX(edges[tick + 1], 1) - 1;
}
/** The same outside of windows, now. */
static inline WwCycle ww_log_core(const WwComponent *c)
{
    return ww_log_like_core(c) ? c->domain->cycle
                               : MAX(ww_edges_over(c, c->machine->domain[0]), 1) - 1;
}
/** The time of @p c: in a window, of the partition that has its turn, which need not be the component's own. */
static inline WwCycle ww_log_time(const WwComponent *c)
{
    const WwPartition *p = ww_acting;
    return p != NULL ? ww_log_time_in(p, c) : c->domain->cycle;
}
/** Room for a piece. */
void ww_log_need_piece(LogText *t);
/** The place in its tick of what partition @p p does. */
static inline uint32_t ww_log_place(const WwPartition *p)
{
    const Share *share = p->at != NULL ? p->at->share : NULL;
    return share != NULL ? share->of->place[share->member] + 1 : 0;
}
/** What is written next is a piece, of tick @p tick; there is room for it. @p p: NULL outside of windows. */
static inline void ww_log_begin_piece(LogText *t, const WwPartition *p, uint32_t tick)
{
    LogPiece *piece = &t->piece[t->n_pieces];
    *piece = (LogPiece){.tick = tick, .place = p != NULL ? ww_log_place(p) : 0, .from = t->at};
    t->n_pieces++;
    t->last_place = MAX(t->last_place, piece->place);
    t->last_tick = MAX(t->last_tick, tick);
    t->turn = p != NULL ? p->at : NULL;
    t->tick = tick;
}
/** Up to the unit, at @p at; returns where it ends. */
char *ww_log_put_start(char *at, WwCycle now, const LogHead *h, int64_t unit);
/** @p n fields of @p row, behind that. */
char *ww_log_put_fields(char *text, const WwEventRow *row, const uint64_t *values, uint32_t n);
/** One field at @p at, a blank before it; returns where it ends. */
char *ww_log_put_field(char *at, const WwEventField *f, uint64_t value);
/** Of which clock's edge a line is. */
typedef struct LogTime {
    WwCycle *const *time; /**< time[clock][tick] */
    uint32_t tick;
} LogTime;
/** The lines that were kept in the @p n bytes from @p from on, as text behind @p out. */
void ww_log_put_kept(Log *l, LogText *out, LogCycle *cycle, const char *from, size_t n, LogTime at);
/** A line that is kept: its head, and this; behind it what its fields have. */
typedef struct LogKept {
    uint16_t size; /**< Bytes from the head on. */
    uint8_t unit;  /**< Or slot. */
    uint8_t n;     /**< Fields. */
} LogKept;
/** The host fetches so much of so many pieces that are told next. */
#define LOG_FETCH 256u
#define LOG_AHEAD 3u
/** The lines of @p n pieces, of which there are LOG_AHEAD more, to the file. */
void ww_log_put_parts(WwMachine *m, Log *l, LogSorted *piece, uint32_t n);
/** And the head of the line at @p from, if there is one. */
static inline void ww_log_fetch_head(const char *from)
{
    uintptr_t head = (uintptr_t)ww_event_take(&from); /* or LOG_WHOLE, LOG_TIME: no addresses */
    ww_host_fetch((const char *)head);
    ww_host_fetch((const char *)(head + 64));
}
/** Instead of a head: a line that is text; a clock, and its edge from here on. */
#define LOG_WHOLE ((uintptr_t)0)
#define LOG_TIME ((uintptr_t)1)
/** Does a line keep the text of @p f? Otherwise what its `kept` says, or the value. */
static inline bool ww_log_as_text(const WwEventField *f)
{
    return (f->form == WW_EVENT_TEXT || f->form == WW_EVENT_PARTS) && f->kept == NULL;
}
/** Is it what keep() says, not the value or the text? */
static inline bool ww_log_by_keep(const WwEventKept *kept)
{
    return kept != NULL && kept != &ww_event_value;
}
/** A line of tick @p tick, whose edge is @p now, as a piece of its own. */
void ww_log_past_line(LogText *t, const WwComponent *c, uint32_t tick, WwCycle now,
                      const WwEventRow *row, int64_t unit, const uint64_t *values, uint32_t n);
/** At the end of a window: what sleeps, and writes its lines later (ww_log_later()), writes them. */
void ww_log_tell(WwMachine *m);
