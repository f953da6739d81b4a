/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's trace packets. Names are written once and then by number: the packet with which one comes up tells it. All packets are of one
 * sequence, whose state is never cleared again.
 */
#include "track-priv.h"
#include "view-priv.h"

enum {
    /* Trace */
    TRACE_PACKET = 1,
    /* TracePacket */
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    /* TracePacket.SequenceFlags */
    FLAG_CLEARED = 1,
    FLAG_NEEDED = 2,
    /* InternedData, and an entry of its lists */
    INTERNED_CATEGORIES = 1,
    INTERNED_NAMES = 2,
    INTERNED_KEYS = 3,
    INTERNED_IID = 1,
    INTERNED_NAME = 2,
    /* TrackDescriptor */
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDERING = 11,
    TRACK_RANK = 12,
    ORDERING_EXPLICIT = 3,
    /* CounterDescriptor */
    COUNTER_UNIT_NAME = 6,
    /* TrackEvent */
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_DOUBLE = 44,
    EVENT_FLOW = 47,
    EVENT_LAST_FLOW = 48,
    TYPE_COUNTER = 4,
    /* DebugAnnotation */
    ANNOTATION_KEY_IID = 1,
    ANNOTATION_UINT = 3,
    ANNOTATION_TEXT = 6,
    ANNOTATION_KEY = 10,
};

enum { SEQUENCE = 1 };

struct Tracks {
    FILE *out;
    Track last;
    bool began;
    uint64_t time;                         /* of the event that is made */
    GHashTable *names, *keys, *categories; /* text -> number */
    GByteArray *packet, *event, *interned, *part;
};

Tracks *tracks_new(FILE *out)
{
    Tracks *t = g_new0(Tracks, 1);
    t->out = out;
    t->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    t->keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    t->categories = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    t->packet = g_byte_array_new();
    t->event = g_byte_array_new();
    t->interned = g_byte_array_new();
    t->part = g_byte_array_new();
    return t;
}

void tracks_free(Tracks *t)
{
    GHashTable *const tables[] = {t->names, t->keys, t->categories};
    GByteArray *const arrays[] = {t->packet, t->event, t->interned, t->part};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_hash_table_unref(tables[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) {
        g_byte_array_unref(arrays[i]);
    }
    g_free(t);
}

/* The packet is complete: its length, then itself. */
static void put_packet(Tracks *t)
{
    proto_uint(t->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_uint(t->packet, PACKET_FLAGS, t->began ? FLAG_NEEDED : FLAG_CLEARED | FLAG_NEEDED);
    t->began = true;
    g_byte_array_set_size(t->part, 0);
    proto_message(t->part, TRACE_PACKET, t->packet);
    fwrite(t->part->data, 1, t->part->len, t->out);
    g_byte_array_set_size(t->part, 0);
}

/* ---- tracks -------------------------------------------------------------------------------------------------------- */

static Track add(Tracks *t, Track parent, const char *name, uint32_t rank, const char *unit)
{
    GByteArray *track = t->event;
    proto_uint(track, TRACK_UUID, ++t->last);
    proto_text(track, TRACK_NAME, name);
    if (parent != 0) {
        proto_uint(track, TRACK_PARENT, parent);
    }
    if (unit != NULL) {
        if (*unit != '\0') {
            proto_text(t->part, COUNTER_UNIT_NAME, unit);
        }
        proto_message(track, TRACK_COUNTER, t->part);
    }
    proto_uint(track, TRACK_ORDERING, ORDERING_EXPLICIT);
    proto_uint(track, TRACK_RANK, rank);
    proto_message(t->packet, PACKET_TRACK, track);
    put_packet(t);
    return t->last;
}

Track tracks_add(Tracks *t, Track parent, const char *name, uint32_t rank)
{
    return add(t, parent, name, rank, NULL);
}

Track tracks_add_counter(Tracks *t, Track parent, const char *name, const char *unit, uint32_t rank)
{
    return add(t, parent, name, rank, unit);
}

/* ---- names --------------------------------------------------------------------------------------------------------- */

/* The number of @p text in @p table, which the packet tells when it is new; 0: there are too many. */
static uint64_t intern(Tracks *t, GHashTable *table, uint32_t list, const char *text)
{
    uintptr_t iid = (uintptr_t)g_hash_table_lookup(table, text);
    if (iid != 0 || g_hash_table_size(table) >= VIEW_NAMES) {
        return iid;
    }
    iid = g_hash_table_size(table) + 1;
    g_hash_table_insert(table, g_strdup(text), (gpointer)iid);
    proto_uint(t->part, INTERNED_IID, iid);
    proto_text(t->part, INTERNED_NAME, text);
    proto_message(t->interned, list, t->part);
    return iid;
}

static void put_name(Tracks *t, GByteArray *to, GHashTable *table, uint32_t list,
                     uint32_t iid_field, uint32_t text_field, const char *text)
{
    uint64_t iid = intern(t, table, list, text);
    if (iid != 0) {
        proto_uint(to, iid_field, iid);
    } else {
        proto_text(to, text_field, text);
    }
}

/* ---- events -------------------------------------------------------------------------------------------------------- */

void tracks_event(Tracks *t, SliceType type, Track track, uint64_t time, const char *category,
                  const char *name)
{
    t->time = time;
    proto_uint(t->event, EVENT_TYPE, type);
    proto_uint(t->event, EVENT_TRACK, track);
    if (name != NULL) {
        put_name(t, t->event, t->categories, INTERNED_CATEGORIES, EVENT_CATEGORY_IID,
                 EVENT_CATEGORY, category);
        put_name(t, t->event, t->names, INTERNED_NAMES, EVENT_NAME_IID, EVENT_NAME, name);
    }
}

/* The key of an annotation, which is made beside: a new key is told through t->part. */
static void annotate(Tracks *t, GByteArray *to, const char *key)
{
    put_name(t, to, t->keys, INTERNED_KEYS, ANNOTATION_KEY_IID, ANNOTATION_KEY, key);
}

void tracks_number(Tracks *t, const char *key, uint64_t value)
{
    annotate(t, t->packet, key);
    proto_uint(t->packet, ANNOTATION_UINT, value);
    proto_message(t->event, EVENT_ANNOTATION, t->packet);
}

void tracks_text(Tracks *t, const char *key, const char *value)
{
    annotate(t, t->packet, key);
    proto_text(t->packet, ANNOTATION_TEXT, value);
    proto_message(t->event, EVENT_ANNOTATION, t->packet);
}

void tracks_flow(Tracks *t, uint64_t flow, bool last)
{
    proto_fixed64(t->event, last ? EVENT_LAST_FLOW : EVENT_FLOW, flow);
}

void tracks_put(Tracks *t)
{
    proto_uint(t->packet, PACKET_TIMESTAMP, t->time);
    if (t->interned->len != 0) {
        proto_message(t->packet, PACKET_INTERNED, t->interned);
    }
    proto_message(t->packet, PACKET_EVENT, t->event);
    put_packet(t);
}

void tracks_value(Tracks *t, Track track, uint64_t time, double value)
{
    t->time = time;
    proto_uint(t->event, EVENT_TYPE, TYPE_COUNTER);
    proto_uint(t->event, EVENT_TRACK, track);
    proto_double(t->event, EVENT_DOUBLE, value);
    tracks_put(t);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

Rows *rows_new(Track parent, const char *name, uint32_t rank)
{
    Rows *rows = g_new0(Rows, 1);
    rows->parent = parent;
    rows->name = g_strdup(name);
    rows->rank = rank;
    rows->row = g_array_new(false, false, sizeof(Row));
    return rows;
}

void rows_free(Rows *rows)
{
    if (rows != NULL) {
        g_free(rows->name);
        g_array_unref(rows->row);
        g_free(rows);
    }
}

uint32_t rows_take(Tracks *t, Rows *rows, uint64_t time)
{
    for (guint i = 0; i < rows->row->len; i++) {
        Row *row = &g_array_index(rows->row, Row, i);
        if (row->free <= time) {
            row->free = UINT64_MAX;
            return i;
        }
    }
    Row row = {tracks_add(t, rows->parent, rows->name, rows->rank), UINT64_MAX};
    g_array_append_val(rows->row, row);
    return rows->row->len - 1;
}

Track rows_track(const Rows *rows, uint32_t row)
{
    return g_array_index(rows->row, Row, row).track;
}

void rows_give(Rows *rows, uint32_t row, uint64_t time)
{
    g_array_index(rows->row, Row, row).free = time;
}
