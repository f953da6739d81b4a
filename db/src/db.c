/* SPDX-License-Identifier: Apache-2.0 */
/* The file: opening, its version, changes, what SQLite refuses. */
#include "db-priv.h"

#include <db/query.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PAGE_BYTES 8192

extern const char ww_db_schema[];

static unsigned patience_ms = 10000; /* for another process that writes */

void ww_db_set_patience(unsigned ms)
{
    patience_ms = ms;
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

static const char *const texts[DB_N_SQL] = {
    [DB_BEGIN] = "BEGIN IMMEDIATE",
    [DB_COMMIT] = "COMMIT",
    [DB_ROLLBACK] = "ROLLBACK",
    [DB_DATA_VERSION] = "PRAGMA data_version",
    [DB_ADD_NAME] = "INSERT INTO name (id, name) VALUES (?, ?)",
    [DB_ADD_LAYOUT] = "INSERT INTO layout (layout, name, position) VALUES (?, ?, ?)",
    [DB_ADD_EXPERIMENT] = "INSERT INTO experiment (name) VALUES (?)",
    [DB_FIND_EXPERIMENT] = "SELECT id FROM experiment WHERE name = ?",
    [DB_SET_SOURCE] = "UPDATE experiment SET source = ? WHERE id = ?",
    [DB_FIND_MACHINE] = "SELECT id, settings IS NOT NULL FROM machine WHERE hash = ?",
    [DB_ADD_MACHINE] =
        ("INSERT INTO machine (hash, base, settings) VALUES (?, ?, ?)"
         " ON CONFLICT (hash) DO UPDATE SET base = excluded.base, settings = excluded.settings"),
    [DB_FIND_INPUT] = "SELECT id FROM input WHERE hash = ?",
    [DB_ADD_INPUT] = "INSERT INTO input (hash, list) VALUES (?, ?)",
    [DB_FIND_RUN] = "SELECT id, state FROM run WHERE experiment = ? AND key = ?",
    [DB_ADD_RUN] =
        ("INSERT INTO run (experiment, key, number, state, axes, settings, machine, input, trace, "
         "platform, config, command, version,"
         " status, partial, fingerprint, host, start, seconds, processor_seconds, exit_status, "
         "error, cycles, thread_instructions,"
         " warp_instructions, ctas, sms, launch_cycles, tail_cycles, bound_by, counters, "
         "counter_values, instances, instance_values,"
         " every, intervals, memory, id)"
         " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
    [DB_NEXT_RUN] = "SELECT max(coalesce(max(id), 0), 0) + 1 FROM run",
    [DB_ADD_KERNEL] = ("INSERT INTO kernel (run, number, name, uid, grid, block, stream, partial, "
                       "cycles, end_cycle, thread_instructions,"
                       " warp_instructions, ctas, sms, launch_cycles, tail_cycles, bound_by, "
                       "counters, counter_values, instances, instance_values)"
                       " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
    [DB_ADD_INTERVAL] = "INSERT INTO interval (run, cycle, numbers) VALUES (?, ?, ?)",
    [DB_DROP_INTERVALS] = "DELETE FROM interval WHERE run = ?",
    [DB_DROP_KERNELS] = "DELETE FROM kernel WHERE run = ?",
    [DB_DROP_RUN] = "DELETE FROM run WHERE id = ?",
    [DB_HAS_NOTES] = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'note'",
    [DB_ADD_NOTES] = "INSERT OR REPLACE INTO note (run, text) VALUES (?, ?)",
    [DB_DROP_NOTES] = "DELETE FROM note WHERE run = ?",
};

bool db_damaged(WwDb *db, const char *what, GError **error)
{
    db->damaged = true;
    return ww_fail(error, WW_ERROR_INPUT,
                   "'%s' is damaged (%s); expected a whole database, see docs/database.md",
                   db->path, what);
}

bool ww_db_is_damaged(const WwDb *db)
{
    return db->damaged;
}

bool db_row_number(WwDb *db, sqlite3_stmt *s, int column, const char *of, int64_t *row,
                   GError **error)
{
    *row = sqlite3_column_int64(s, column);
    if (*row <= 0) {
        g_autofree char *what = g_strdup_printf("the number of %s", of);
        return db_damaged(db, what, error);
    }
    return true;
}

bool db_fail(WwDb *db, GError **error)
{
    int code = sqlite3_errcode(db->sql);
    db->refused = code;
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "'%s' is locked by another process that writes it; expected it to be free "
                       "within %u seconds",
                       db->path, (patience_ms + 999) / 1000);
    case SQLITE_NOTADB:
        db->damaged = true;
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s' is no database; expected one that Warpwright wrote", db->path);
    case SQLITE_CORRUPT:
        return db_damaged(db, sqlite3_errmsg(db->sql), error);
    case SQLITE_READONLY:
        if (!db->writable) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "'%s' has the journal of a writer that was killed (%s); expected it "
                           "rolled back: by 'warpwright db list' of somebody who can write the "
                           "file and its folder",
                           db->path, sqlite3_errmsg(db->sql));
        }
        return ww_fail(error, WW_ERROR_USAGE,
                       "'%s' cannot be written (%s); expected a file and a folder that can",
                       db->path, sqlite3_errmsg(db->sql));
    case SQLITE_FULL:
        return ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected room for it", db->path,
                       sqlite3_errmsg(db->sql));
    case SQLITE_IOERR:
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "'%s': %s; expected a file that can be read and written, and room for it",
                       db->path, sqlite3_errmsg(db->sql));
    default:
        return ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected a database to work with",
                       db->path, sqlite3_errmsg(db->sql));
    }
}

sqlite3_stmt *db_prepare(WwDb *db, const char *text, GError **error)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v3(db->sql, text, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL) != SQLITE_OK) {
        db_fail(db, error);
    }
    return s;
}

sqlite3_stmt *db_statement(WwDb *db, DbSql which, GError **error)
{
    sqlite3_stmt **s = &db->statements[which];
    if (*s == NULL) {
        *s = db_prepare(db, texts[which], error);
    }
    return *s;
}

bool db_row(WwDb *db, sqlite3_stmt *s, GError **error)
{
    int code = s != NULL ? sqlite3_step(s) : SQLITE_MISUSE;
    if (code != SQLITE_ROW && s != NULL) {
        if (code != SQLITE_DONE) {
            db_fail(db, error);
        }
        sqlite3_reset(s);
    }
    return code == SQLITE_ROW;
}

bool db_done(WwDb *db, sqlite3_stmt *s, GError **error)
{
    int code = s != NULL ? sqlite3_step(s) : SQLITE_MISUSE;
    bool good = code == SQLITE_DONE || code == SQLITE_ROW;
    if (s == NULL) {
        return false;
    }
    if (!good) {
        db_fail(db, error);
    }
    sqlite3_reset(s);
    return good;
}

void db_bind_text(sqlite3_stmt *s, int at, const char *text)
{
    if (text != NULL) {
        sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_null(s, at);
    }
}

void db_bind_slice(sqlite3_stmt *s, int at, DbSlice text)
{
    if (text.p != NULL) {
        sqlite3_bind_text64(s, at, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        sqlite3_bind_null(s, at);
    }
}

void db_bind_count(sqlite3_stmt *s, int at, int64_t n)
{
    if (n != 0) {
        sqlite3_bind_int64(s, at, n);
    } else {
        sqlite3_bind_null(s, at);
    }
}

static bool execute(WwDb *db, const char *text, GError **error)
{
    return sqlite3_exec(db->sql, text, NULL, NULL, NULL) == SQLITE_OK || db_fail(db, error);
}

static bool read_number(WwDb *db, const char *text, int64_t *n, GError **error)
{
    g_autoptr(sqlite3_stmt) s = db_prepare(db, text, error);
    *n = 0;
    if (s == NULL || !db_row(db, s, error)) {
        return false;
    }
    *n = sqlite3_column_int64(s, 0);
    return true;
}

/* ---- what a file holds ------------------------------------------------------------------------------------------ */

/* name, type and text of everything that our schema makes. */
static const char objects[] =
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";

bool db_has_notes(WwDb *db, bool *has, GError **error)
{
    sqlite3_stmt *s = db_statement(db, DB_HAS_NOTES, error);
    if (!db_row(db, s, error)) {
        return false;
    }
    *has = sqlite3_column_int64(s, 0) != 0;
    sqlite3_reset(s);
    return true;
}

bool db_add_notes(WwDb *db, int64_t row, const char *notes, GError **error)
{
    if (!execute(db,
                 "CREATE TABLE IF NOT EXISTS note (run INTEGER PRIMARY KEY REFERENCES run, text "
                 "TEXT NOT NULL)",
                 error)) {
        return false;
    }
    sqlite3_stmt *s = db_statement(db, DB_ADD_NOTES, error);
    if (s == NULL) {
        return false;
    }
    sqlite3_bind_int64(s, 1, row);
    db_bind_text(s, 2, notes);
    return db_done(db, s, error);
}

/* Another process may have made them in between. */
static bool make_tables(WwDb *db, GError **error)
{
    int64_t n = 0;
    g_autofree char *begin = g_strdup_printf("PRAGMA page_size = %d; BEGIN IMMEDIATE", PAGE_BYTES);
    g_autofree char *mark = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                            DB_APPLICATION, WW_DB_VERSION);
    bool good = execute(db, begin, error) &&
                read_number(db, "SELECT count(*) FROM sqlite_schema", &n, error) &&
                (n != 0 || (execute(db, mark, error) && execute(db, ww_db_schema, error))) &&
                execute(db, "COMMIT", error);
    if (!good) {
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    }
    return good;
}

/* Are our tables and views those that we know? Others beside them do not matter. */
static bool check_tables(WwDb *db, GError **error)
{
    g_autoptr(WwDb) own = ww_db_open(":memory:", WW_DB_CREATE, error);
    g_autoptr(sqlite3_stmt) ours = own != NULL ? db_prepare(own, objects, error) : NULL;
    g_autoptr(sqlite3_stmt) theirs =
        db_prepare(db, "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?", error);
    if (ours == NULL || theirs == NULL) {
        return false;
    }
    while (db_row(own, ours, error)) {
        const char *name = (const char *)sqlite3_column_text(ours, 1);
        sqlite3_reset(theirs);
        sqlite3_bind_text(theirs, 1, (const char *)sqlite3_column_text(ours, 0), -1,
                          SQLITE_TRANSIENT);
        sqlite3_bind_text(theirs, 2, name, -1, SQLITE_TRANSIENT);
        g_autoptr(GError) why = NULL;
        if (!db_row(db, theirs, &why)) {
            if (why != NULL) {
                g_propagate_error(error, g_steal_pointer(&why));
                return false;
            }
            return ww_fail(error, WW_ERROR_INPUT,
                           "'%s' has no '%s'; expected the tables of docs/database.md", db->path,
                           name);
        }
        if (g_strcmp0((const char *)sqlite3_column_text(ours, 2),
                      (const char *)sqlite3_column_text(theirs, 0)) != 0) {
            return ww_fail(error, WW_ERROR_INPUT,
                           "'%s': '%s' has been changed; expected it as in docs/database.md",
                           db->path, name);
        }
    }
    return true;
}

static bool check_version(WwDb *db, bool create, GError **error)
{
    int64_t application, version, n;
    if (!read_number(db, "PRAGMA application_id", &application, error) ||
        !read_number(db, "PRAGMA user_version", &version, error) ||
        !read_number(db, "SELECT count(*) FROM sqlite_schema", &n, error)) {
        return false;
    }
    if (application == 0 && version == 0 && n == 0) {
        return create
                   ? make_tables(db, error) && check_version(db, false, error)
                   : ww_fail(error, WW_ERROR_INPUT,
                             "'%s' is empty; expected a database that Warpwright wrote", db->path);
    }
    if (application != DB_APPLICATION) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s' is a database of another program; expected one that Warpwright wrote",
                       db->path);
    }
    if (version != WW_DB_VERSION) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s' has version %" G_GINT64_FORMAT " of the tables%s; expected version %d",
                       db->path, version,
                       version > WW_DB_VERSION ? ", which a newer Warpwright wrote" : "",
                       WW_DB_VERSION);
    }
    return strcmp(db->path, ":memory:") == 0 || check_tables(db, error);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* File systems of a network: a log beside the file that is shared by memory (WAL) does not work there. */
static bool is_remote(const char *path)
{
    static const unsigned long kinds[] = {
        0x6969,     /* NFS */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB2 */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x00c36400, /* Ceph */
        0x5346414f, /* AFS */
        0x65735546, /* FUSE: may be any of them */
        0x01021997, /* 9P */
    };
    struct statfs fs;
    if (statfs(path, &fs) != 0) {
        return false;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (((unsigned long)fs.f_type & 0xffffffff) == kinds[i]) {
            return true;
        }
    }
    return false;
}

/* SQLite itself does not wait here for others that write. */
static bool set_journal(WwDb *db, const char *text, GError **error)
{
    gint64 until = g_get_monotonic_time() + (gint64)patience_ms * 1000;
    for (;;) {
        int code = sqlite3_exec(db->sql, text, NULL, NULL, NULL);
        if (code == SQLITE_OK) {
            return true;
        }
        if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) || g_get_monotonic_time() >= until) {
            return db_fail(db, error);
        }
        g_usleep(20000);
    }
}

/* Safe whatever ends the process or the machine: readers are not kept waiting, and a change is one write. */
static bool prepare_writing(WwDb *db, GError **error)
{
    if (strcmp(db->path, ":memory:") == 0) {
        return true;
    }
    db->wal = !is_remote(db->path);
    return set_journal(db, db->wal ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE",
                       error) &&
           execute(db, "PRAGMA synchronous = FULL", error);
}

static void harden(WwDb *db)
{
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_exec(db->sql, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    sqlite3_busy_timeout(db->sql, (int)patience_ms);
}

/* What SQLite would only call "unable to open database file", and what must not be opened: pipes, folders. */
static bool check_place(const char *path, unsigned flags, bool *created, GError **error)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    *created = !there && flags == WW_DB_CREATE;
    if (there && !S_ISREG(st.st_mode)) {
        return ww_fail(error, WW_ERROR_USAGE, "'%s' is no file; expected a database", path);
    }
    if (!there && flags != WW_DB_CREATE) {
        return ww_fail(error, WW_ERROR_INPUT, "cannot open '%s': %s; expected a database", path,
                       g_strerror(errno));
    }
    if (there && access(path, flags == WW_DB_READ ? R_OK : R_OK | W_OK) != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "cannot open '%s'%s: %s; expected a file that can be %s", path,
                       flags == WW_DB_READ ? "" : " for writing", g_strerror(errno),
                       flags == WW_DB_READ ? "read" : "written");
    }
    g_autofree char *folder = g_path_get_dirname(path);
    if (!there && access(folder, W_OK | X_OK) != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "cannot make '%s': folder '%s': %s; expected one that can be written", path,
                       folder, g_strerror(errno));
    }
    return true;
}

/* A file that nobody writes, in a folder where nothing can be written: SQLite need not be ready for a writer. */
static bool is_still(const char *path, unsigned flags)
{
    g_autofree char *folder = g_path_get_dirname(path), *log = g_strconcat(path, "-wal", NULL),
                    *journal = g_strconcat(path, "-journal", NULL);
    return flags == WW_DB_READ && access(folder, W_OK) != 0 && access(log, F_OK) != 0 &&
           access(journal, F_OK) != 0;
}

/* NULL with an error, and what SQLite refused. */
static WwDb *open_file(const char *path, unsigned flags, int *refused, GError **error)
{
    bool memory = strcmp(path, ":memory:") == 0;
    g_autofree char *full = memory ? NULL : g_canonicalize_filename(path, NULL);
    g_autofree char *escaped = memory ? NULL : g_uri_escape_string(full, "/", false);
    g_autofree char *uri =
        memory ? g_strdup(":memory:")
               : g_strdup_printf("file:%s%s", escaped, is_still(path, flags) ? "?immutable=1" : "");
    WwDb *db = g_new0(WwDb, 1);
    db->path = g_strdup(path);
    db->writable = flags != WW_DB_READ;
    int how = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
              (flags == WW_DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
              (flags == WW_DB_CREATE ? SQLITE_OPEN_CREATE : 0);
    bool good = sqlite3_open_v2(uri, &db->sql, how, NULL) == SQLITE_OK || db_fail(db, error);
    if (good) {
        harden(db);
        good = check_version(db, flags == WW_DB_CREATE, error) &&
               (!db->writable || prepare_writing(db, error));
    }
    *refused = db->refused;
    if (!good) {
        ww_db_close(db);
        return NULL;
    }
    return db;
}

/* What a writer that was killed had not finished goes, if this process may write the file: SQLite does it, for who reads it. */
static void roll_back(const char *path)
{
    sqlite3 *sql = NULL;
    g_autofree char *full = g_canonicalize_filename(path, NULL);
    if (sqlite3_open_v2(full, &sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
        SQLITE_OK) {
        sqlite3_busy_timeout(sql, (int)patience_ms);
        sqlite3_exec(sql, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    }
    sqlite3_close(sql);
}

WwDb *ww_db_open(const char *path, unsigned flags, GError **error)
{
    bool created = false;
    int refused = SQLITE_OK;
    g_autoptr(GError) why = NULL;
    if (strcmp(path, ":memory:") != 0 && !check_place(path, flags, &created, error)) {
        return NULL;
    }
    WwDb *db = open_file(path, flags, &refused, &why);
    if (db == NULL && flags == WW_DB_READ && refused == SQLITE_READONLY) {
        roll_back(path);
        g_clear_error(&why);
        db = open_file(path, flags, &refused, &why);
    }
    if (db == NULL) {
        struct stat st;
        if (created && stat(path, &st) == 0 &&
            st.st_size == 0) { /* else it is another one's by now */
            unlink(path);
        }
        g_propagate_error(error, g_steal_pointer(&why));
    }
    return db;
}

void ww_db_close(WwDb *db)
{
    if (db == NULL) {
        return;
    }
    ww_db_rollback(db);
    for (int i = 0; i < DB_N_SQL; i++) {
        sqlite3_finalize(db->statements[i]);
    }
    if (db->wal) { /* so that the file alone is all, and may lie where nothing can be written; not while others have it open */
        sqlite3_busy_timeout(db->sql, 0);
        sqlite3_exec(db->sql, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    sqlite3_close(db->sql);
    db_names_free(db->names);
    db_machines_free(db->machines);
    g_free(db->path);
    g_free(db);
}

const char *ww_db_path(const WwDb *db)
{
    return db->path;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

static void forget(WwDb *db)
{
    g_clear_pointer(&db->names, db_names_free);
    g_clear_pointer(&db->machines, db_machines_free);
}

/* What is remembered of the file holds as long as no other process has written it. */
static bool look(WwDb *db, GError **error)
{
    sqlite3_stmt *s = db_statement(db, DB_DATA_VERSION, error);
    if (!db_row(db, s, error)) {
        return false;
    }
    int64_t now = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    if (now != db->data_version) {
        forget(db);
        db->data_version = now;
    }
    return true;
}

static bool begin(WwDb *db, GError **error)
{
    if (!db->writable) {
        return ww_fail(error, WW_ERROR_USAGE, "'%s' is open for reading; expected for writing",
                       db->path);
    }
    if (!db_done(db, db_statement(db, DB_BEGIN, error), error)) {
        return false;
    }
    if (!look(db, error)) {
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
        return false;
    }
    return true;
}

static void rollback(WwDb *db)
{
    sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL); /* SQLite may have done it itself */
    forget(db);
}

/* SQLite begins a transaction's view of the file with the first thing that is read. */
bool ww_db_hold(WwDb *db, GError **error)
{
    int64_t n;
    return execute(db, "BEGIN", error) &&
           read_number(db, "SELECT count(*) FROM sqlite_schema", &n, error);
}

bool ww_db_begin(WwDb *db, GError **error)
{
    ww_assert(!db->begun);
    db->begun = begin(db, error);
    return db->begun;
}

/* What is written into a file that has no name any more is lost, of which SQLite says nothing. */
static bool is_there(WwDb *db, GError **error)
{
    int moved = 0;
    return sqlite3_file_control(db->sql, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
           moved == 0 ||
           ww_fail(error, WW_ERROR_SYSTEM,
                   "'%s' has been removed, or another file put in its place; expected it to stay "
                   "where it was opened",
                   db->path);
}

static bool commit(WwDb *db, GError **error)
{
    return db_done(db, db_statement(db, DB_COMMIT, error), error);
}

bool ww_db_commit(WwDb *db, GError **error)
{
    ww_assert(db->begun);
    db->begun = false;
    if (!commit(db, error)) {
        rollback(db);
        return false;
    }
    return is_there(db, error);
}

void ww_db_rollback(WwDb *db)
{
    if (db->begun) {
        db->begun = false;
        rollback(db);
    }
}

bool db_change(WwDb *db, GError **error)
{
    return db->begun ? execute(db, "SAVEPOINT one", error) : begin(db, error);
}

bool db_end(WwDb *db, bool good, GError **error)
{
    if (db->begun) {
        if (good) {
            return execute(db, "RELEASE one", error);
        }
        sqlite3_exec(db->sql, "ROLLBACK TO one; RELEASE one", NULL, NULL, NULL);
        forget(db);
        return false;
    }
    if (good && commit(db, error)) {
        return is_there(db, error);
    }
    rollback(db);
    return false;
}

bool ww_db_prepare(WwDb *db, GError **error)
{
    return db_change(db, error) &&
           db_end(db, db_names_read(db, error) && db_machines_read(db, error), error);
}
