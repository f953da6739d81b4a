/* SPDX-License-Identifier: Apache-2.0 */
/** @file What taps and the lines of the event log have in common. */
#pragma once

#include "turn-priv.h"
#include <pthread.h>

/** What the lines of one kind that a component writes have between the cycle and the unit. */
typedef struct LogHead {
    const char *
        brief; /**< The kind, by where its name stands, if lines are written the short way; NULL: they are not. */
    struct LogHead *next;
    const char *kind;
    const WwComponent *component;
    uint32_t n, at_path;
    uint32_t cycle; /**< Where a LogText has its time. */
    bool wanted;    /**< The filter lets it through. */
    char text
        []; /**< "\tissue\tgpu.sm[0].issue[1]\t", behind it what tokens have then, and more: LOG_COPY bytes are copied at a time. */
} LogHead;
#define LOG_COPY 64u
/** What a token has between its head and the number of its slot. */
#define LOG_OF_SLOT "-1\tslot="
#define LOG_SLOT (sizeof(LOG_OF_SLOT) - 1)
/** Lines are copied in steps of so many bytes: the last step goes beyond their end. */
#define LOG_STEP 64u
/** Cycle, unit, a line's end: bytes at most. */
#define LOG_NUMBERS 64u
/** Of a kind and a path that are written the short way: bytes at most. */
#define LOG_MOST_HEAD 1024u
/** So much goes to the file at once. */
#define LOG_PIECE (1u << 20)

#define NO_TICK UINT32_MAX
#define NO_HUNDREDS ((WwCycle)1 << 63)
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
/** A cycle as text. */
typedef struct LogCycle {
    WwCycle cycle;
    WwCycle hundreds; /**< Without the last two digits; NO_HUNDREDS: there are no others. */
    uint32_t tick;    /**< In a window: that it is of; NO_TICK: nobody knows. */
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
    char *most;      /**< from here on there is no room for one. */
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
    uint32_t last_place;          /**< The greatest of any piece so far. */
    LogLater *later;
    uint32_t n_later, room_later;
    LogCycle cycle[WW_MAX_DOMAINS]; /**< Of the last line of each clock. */
} LogText;

/** A piece that is put in its place. */
typedef struct LogSorted {
    const char *from;
    uint32_t n, tick;
} LogSorted;

/** A partition whose notes are being merged. */
typedef struct Merged {
    uint64_t turn; /**< Of its next note. */
    uint32_t partition;
} Merged;

/** The thread of a log. */
typedef struct Scribe Scribe;

typedef struct Log {
    LogText out;   /**< In order. */
    LogText *of;   /**< [n_all] Of partitions, in a window. */
    LogText *full; /**< [n_all] Of the window before, for the thread. */
    LogChunks chunks;
    Scribe *scribe; /**< NULL: none. */
    bool apart;     /**< There may be one: nobody else writes to the file. */
    bool handed;    /**< It may be at work. */
    uint32_t n_of, n_heads;
    LogHead **head; /**< By component: the kinds that it wrote so far. */
    const LogHead **
        token; /**< By channel and by LOG_TAKES(): of those, what its tokens are written the short way with. */
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
/** Where the next @p n bytes of the log go; what is full goes to the file first. */
char *ww_log_room(WwMachine *m, size_t n);
/** How much goes to the file next. */
static inline size_t ww_log_bytes(const LogText *t)
{
    return (size_t)(t->at - t->text);
}
/** Room for @p n bytes, and for a line written the short way. What a partition writes then is another piece. */
void ww_log_more(Log *l, LogText *t, size_t n);
/** The same, if there is none for @p n bytes. */
static inline void ww_log_need(Log *l, LogText *t, size_t n)
{
    if (G_UNLIKELY((size_t)(t->end - t->at) < n)) {
        ww_log_more(l, t, n);
    }
}
/** All chunks of the window are the thread's. */
void ww_log_take_chunks(LogChunks *all);
/** The lines in those are written. */
void ww_log_give_chunks(LogChunks *all);
void ww_log_make_chunks(LogChunks *all);
void ww_log_free_chunks(LogChunks *all);
/** The head of lines of @p kind, which @p c writes for the first time; @p first: the log's. */
const LogHead *ww_log_head(LogHead **first, const WwComponent *c, const char *kind);
/** Is it for the log, by its cycle and its unit; by its text? */
bool ww_log_in_bounds(const WwMachine *m, WwCycle now, int64_t unit);
bool ww_log_wants_text(const Log *l, const WwComponent *c, const char *text);
/** The lines that partitions wrote in a window, in the order of ticks, phases and turns. */
void ww_log_merge(WwMachine *m);
/** No line is in @p t, and the time of none is known. */
void ww_log_clear(LogText *t);
/** The same of those at @p of. */
void ww_log_sort(WwMachine *m, LogText *of);
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
/** The time of @p c: in a window, of the partition that has its turn, which need not be the component's own. */
static inline WwCycle ww_log_time(const WwComponent *c)
{
    const WwPartition *p = ww_acting;
    return p != NULL ? ww_log_time_in(p, c) : c->domain->cycle;
}
/** @p last: the last two digits of @p now; the others are there. */
static inline void ww_log_set_last_digits(LogCycle *c, uint32_t tick, WwCycle now, WwCycle last)
{
    c->tick = tick;
    c->cycle = now;
    memcpy(c->digits + c->n - 2, ww_event_digits + 2 * last, 2);
}
/** @p now as text. */
void ww_log_set_cycle(LogCycle *c, uint32_t tick, WwCycle now);
/** Room for a piece. */
void ww_log_need_piece(LogText *t);
/** The place in its tick of what partition @p p does. */
static inline uint32_t ww_log_place(const WwPartition *p)
{
    const Share *share = p->at != NULL ? p->at->share : NULL;
    return share != NULL ? share->of->place[share->member] + 1 : 0;
}
/** What is written next is a piece, of tick @p tick; there is room for it. */
static inline void ww_log_begin_piece(LogText *t, const WwPartition *p, uint32_t tick)
{
    LogPiece *piece = &t->piece[t->n_pieces];
    *piece = (LogPiece){.tick = tick, .place = ww_log_place(p), .from = t->at};
    t->n_pieces++;
    t->last_place = MAX(t->last_place, piece->place);
    t->turn = p->at;
    t->tick = tick;
}
/** A line of cycle @p now behind those of @p t, but none of them yet: returns its end. NULL: nobody wants it. */
char *ww_log_draft(LogText *t, const WwComponent *c, WwCycle now, const WwEventRow *row,
                   int64_t unit, const uint64_t *values, uint32_t n);
/** At the end of a window: what sleeps, and writes its lines later (ww_log_later()), writes them. */
void ww_log_tell(WwMachine *m);
