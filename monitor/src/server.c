/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evhttp reads requests and bounds headers and bodies; its time-outs begin anew with each byte, and it takes any number of connections. So each
 * connection is noted here with its age, and shut down when it is too old. evhttp does not tell when it lets go of one, but
 * takes its callbacks away then.
 */
#include "address-priv.h"
#include <monitor/server.h>

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define MOST_HEADERS 8192
#define MOST_BODY 4096
#define MOST_CONNECTIONS 32u
#define REQUEST_US 5000000 /* until a request is complete */
#define ANSWER_US 30000000 /* until the answer has been read */
#define IDLE_S 5           /* without a byte */
#define LEAST_TOKEN 16u
#define MOST_TOKEN 256u

typedef struct Connection {
    struct bufferevent *bev; /* with a reference of ours: its socket stays open until we let go */
    gint64 begin;
    bool answered, shut;
} Connection;

struct WwServer {
    WwServerSpec spec;
    WwAddress address;
    char *url;
    struct evhttp *http;
    struct evhttp_bound_socket *socket;
    GArray *connections; /* Connection, oldest first */
    bool active;         /* something happened since ww_server_busy() was asked */
    bool full;           /* no more are accepted now */
};

/* ---- connections ------------------------------------------------------------------------------------------------- */

static bool is_gone(const Connection *c)
{
    bufferevent_data_cb read, write;
    bufferevent_event_cb event;
    void *arg;
    bufferevent_getcb(c->bev, &read, &write, &event, &arg);
    return read == NULL && write == NULL && event == NULL;
}

/* evhttp finds the end of it in its next pass. */
static void shut(WwServer *s, Connection *c)
{
    if (!c->shut) {
        c->shut = true;
        s->active = true;
        shutdown(bufferevent_getfd(c->bev), SHUT_RDWR);
    }
}

static void sweep(WwServer *s)
{
    gint64 now = g_get_monotonic_time();
    for (guint i = 0; i < s->connections->len;) {
        Connection *c = &g_array_index(s->connections, Connection, i);
        if (is_gone(c)) {
            bufferevent_decref(c->bev);
            g_array_remove_index(s->connections, i);
            continue;
        }
        if (now - c->begin > (c->answered ? ANSWER_US : REQUEST_US)) {
            shut(s, c);
        }
        i++;
    }
}

/* One too many: the oldest that has not asked for anything yet, or the oldest of all. */
static void make_room(WwServer *s)
{
    Connection *first = NULL;
    guint open = 0;
    for (guint i = 0; i < s->connections->len; i++) {
        Connection *c = &g_array_index(s->connections, Connection, i);
        open += !c->shut;
        if (!c->shut && (first == NULL || (first->answered && !c->answered))) {
            first = c;
        }
    }
    if (open >= MOST_CONNECTIONS && first != NULL) {
        shut(s, first);
    }
    if (s->connections->len >= 2 * MOST_CONNECTIONS && !s->full) {
        s->full = true;
        evconnlistener_disable(evhttp_bound_socket_get_listener(s->socket));
    }
}

static struct bufferevent *on_connection(struct event_base *base, void *user)
{
    WwServer *s = user;
    make_room(s);
    Connection c = {.bev = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE),
                    .begin = g_get_monotonic_time()};
    if (c.bev != NULL) {
        bufferevent_incref(c.bev);
        g_array_append_val(s->connections, c);
    }
    s->active = true;
    return c.bev;
}

static Connection *connection_of(WwServer *s, struct evhttp_request *request)
{
    const struct bufferevent *bev =
        evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
    for (guint i = 0; i < s->connections->len; i++) {
        Connection *c = &g_array_index(s->connections, Connection, i);
        if (c->bev == bev) {
            return c;
        }
    }
    return NULL;
}

bool ww_server_busy(WwServer *s)
{
    bool busy = s->active;
    s->active = false;
    sweep(s);
    /* Those that gave way are gone: the rest, which may never ask, gives way to whoever comes next. */
    if (s->full && s->connections->len <= MOST_CONNECTIONS) {
        s->full = false;
        evconnlistener_enable(evhttp_bound_socket_get_listener(s->socket));
    }
    for (guint i = 0; i < s->connections->len && !busy; i++) {
        const Connection *c = &g_array_index(s->connections, Connection, i);
        busy = c->answered && evbuffer_get_length(bufferevent_get_output(c->bev)) != 0;
    }
    return busy;
}

/* ---- who may ask ------------------------------------------------------------------------------------------------- */

/* The only header of that name; NULL: there is none, or *@p twice. */
static const char *only(struct evhttp_request *request, const char *name, bool *twice)
{
    const struct evkeyval *h;
    const char *found = NULL;
    for (h = evhttp_request_get_input_headers(request)->tqh_first; h != NULL;
         h = h->next.tqe_next) {
        if (g_ascii_strcasecmp(h->key, name) == 0) {
            *twice |= found != NULL;
            found = h->value;
        }
    }
    return *twice ? NULL : found;
}

/* Takes the same time wherever they differ. */
static bool same_token(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned char differ = n != m;
    for (size_t i = 0; i < n; i++) {
        differ |= (unsigned char)(a[i] ^ b[m != 0 ? i % m : 0]);
    }
    return differ == 0;
}

static bool has_token(const WwServer *s, const char *header)
{
    static const char begin[] = "Bearer ";
    return header != NULL && g_ascii_strncasecmp(header, begin, sizeof begin - 1) == 0 &&
           same_token(header + sizeof begin - 1, s->spec.token);
}

/* A name that leads here from elsewhere is refused; with a token, that alone decides beyond loopback. */
static bool is_our_name(const WwServer *s, const char *host)
{
    return host != NULL && (!s->address.loopback || ww_address_names_loopback(host));
}

/* A page that another place sent, or a request that one made. */
static bool is_foreign(const char *host, const char *origin, const char *site)
{
    if (site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) {
        return true;
    }
    return origin != NULL && !(g_str_has_prefix(origin, "http://") &&
                               g_ascii_strcasecmp(origin + strlen("http://"), host) == 0);
}

/* Why a request is refused, and with which status; NULL: it is not. */
static const char *refusal(const WwServer *s, struct evhttp_request *request, bool api, int *status)
{
    bool twice = false;
    const char *host = only(request, "Host", &twice);
    const char *origin = only(request, "Origin", &twice);
    const char *site = only(request, "Sec-Fetch-Site", &twice);
    const char *token = only(request, "Authorization", &twice);
    const char *own = only(request, "X-Warpwright", &twice);
    *status = 400;
    if (twice || host == NULL) {
        return "a header that says who asks is missing or there twice; expected one Host";
    }
    *status = 403;
    if (!is_our_name(s, host)) {
        return "Host is not a name of this server; expected localhost or its address";
    }
    if (api && is_foreign(host, origin, site)) {
        return "a page of another origin asks; expected the monitor's own";
    }
    *status = 401;
    if (api && s->spec.token != NULL && !has_token(s, token)) {
        return "no token, or a wrong one; expected Authorization: Bearer TOKEN";
    }
    *status = 403;
    if (evhttp_request_get_command(request) == EVHTTP_REQ_POST && own == NULL) {
        return "POST without the header X-Warpwright; expected X-Warpwright: 1";
    }
    return NULL;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{200, "OK"},           {400, "Bad Request"},
                   {401, "Unauthorized"}, {403, "Forbidden"},
                   {404, "Not Found"},    {405, "Method Not Allowed"},
                   {409, "Conflict"},     {500, "Internal Server Error"}};
    for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Unknown";
}

static void add_headers(struct evkeyvalq *h, const WwReply *r)
{
    static const char *const always[][2] = {
        {"Connection", "close"},
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(always); i++) {
        evhttp_add_header(h, always[i][0], always[i][1]);
    }
    evhttp_add_header(h, "Content-Type", r->type);
    if (r->status == 401) {
        evhttp_add_header(h, "WWW-Authenticate", "Bearer");
    } else if (r->status == 405) {
        evhttp_add_header(h, "Allow", "GET, POST");
    }
}

static void free_bytes(const void *data, size_t n, void *extra)
{
    g_free(extra);
}

static void send_reply(struct evhttp_request *request, WwReply *r)
{
    struct evbuffer *out = evbuffer_new();
    if (out == NULL) {
        ww_exhausted("out of memory while a request to --monitor was answered");
    }
    if (r->status == 0) {
        *r = (WwReply){.status = 404,
                       .type = "application/json",
                       .bytes = "{\"error\": \"there is no such page; expected / or /api/...\"}\n"};
        r->size = strlen(r->bytes);
    }
    add_headers(evhttp_request_get_output_headers(request), r);
    const char *bytes = r->owned != NULL ? r->owned : r->bytes;
    evbuffer_add_reference(out, bytes, r->size, free_bytes, r->owned);
    evhttp_send_reply(request, r->status, reason_of(r->status), out);
    evbuffer_free(out);
}

static void refuse(struct evhttp_request *request, int status, const char *why)
{
    WwReply r = {.status = status, .type = "application/json"};
    r.owned = g_strdup_printf("{\"error\": \"%s\"}\n", why);
    r.size = strlen(r.owned);
    send_reply(request, &r);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* Percent escapes; NULL: a bad one, a 0 or a byte that is no UTF-8. */
static char *decode(const char *text)
{
    g_autofree char *plain = g_uri_unescape_string(text, NULL);
    return plain != NULL && g_utf8_validate(plain, -1, NULL) ? g_steal_pointer(&plain) : NULL;
}

/* The query, NULL if it is malformed. */
static GHashTable *parse_query(const char *text)
{
    g_autoptr(GHashTable) out = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_auto(GStrv) pairs = g_strsplit(text != NULL ? text : "", "&", 32);
    for (char **p = pairs; *p != NULL; p++) {
        char *equals = strchr(*p, '=');
        if (**p == '\0' || equals == NULL) {
            return NULL;
        }
        *equals = '\0';
        g_strdelimit(equals + 1, "+", ' ');
        char *key = decode(*p), *value = decode(equals + 1);
        if (key == NULL || value == NULL || !g_hash_table_insert(out, key, value)) {
            if (key == NULL || value == NULL) {
                g_free(key);
                g_free(value);
            }
            return NULL;
        }
    }
    return g_steal_pointer(&out);
}

static void answer(WwServer *s, struct evhttp_request *request, const WwRequest *r)
{
    WwReply reply = {0};
    s->spec.serve(s->spec.user, r, &reply);
    send_reply(request, &reply);
}

static void on_request(struct evhttp_request *request, void *user)
{
    WwServer *s = user;
    Connection *c = connection_of(s, request);
    int status;
    s->active = true;
    if (c != NULL) {
        c->answered = true;
    }
    const char *uri = evhttp_request_get_uri(request);
    const char *query = uri != NULL ? strchr(uri, '?') : NULL;
    if (uri == NULL || uri[0] != '/') { /* also what is meant for a proxy */
        return refuse(request, 400, "the path is malformed; expected one that begins with /");
    }
    g_autofree char *raw = g_strndup(uri, query != NULL ? (gsize)(query - uri) : strlen(uri));
    g_autofree char *path = decode(raw);
    g_autoptr(GHashTable) words = query != NULL ? parse_query(query + 1) : parse_query(NULL);
    bool api = path == NULL || g_str_has_prefix(path, "/api/");
    const char *why = refusal(s, request, api, &status);
    if (why != NULL) {
        return refuse(request, status, why);
    }
    if (path == NULL || words == NULL) {
        return refuse(request, 400, "the path or the query is malformed; expected KEY=VALUE&...");
    }
    struct evbuffer *in = evhttp_request_get_input_buffer(request);
    size_t size = evbuffer_get_length(in);
    g_autofree char *body = g_malloc0(size + 1);
    evbuffer_copyout(in, body, size);
    WwRequest r = {evhttp_request_get_command(request) == EVHTTP_REQ_POST, path, words, body, size};
    answer(s, request, &r);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool ww_server_check_token(const char *what, const char *token, GError **error)
{
    size_t n = strlen(token);
    bool plain = true;
    for (const char *p = token; *p != '\0'; p++) {
        plain &= g_ascii_isgraph(*p);
    }
    return (plain && n >= LEAST_TOKEN && n <= MOST_TOKEN) ||
           ww_fail(error, WW_ERROR_USAGE,
                   "%s holds a token of %zu characters%s; expected %u to %u letters, digits and "
                   "signs without blanks",
                   what, n, plain ? "" : ", not all of them visible", LEAST_TOKEN, MOST_TOKEN);
}

static bool listen_there(WwServer *s, GError **error)
{
    const WwAddress *a = &s->address;
    errno = 0;
    s->socket = evhttp_bind_socket_with_handle(s->http, a->host, a->port);
    if (s->socket == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--monitor cannot listen at %s, port %u: %s; expected an address of this "
                       "machine and a free port (0: any)",
                       a->host, a->port, errno != 0 ? g_strerror(errno) : "no such address");
    }
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    getsockname(evhttp_bound_socket_get_fd(s->socket), (struct sockaddr *)&at, &size);
    uint16_t port = at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                             : ((struct sockaddr_in *)&at)->sin_port;
    port = ntohs(port);
    s->url = g_strdup_printf(a->six ? "http://[%s]:%u/" : "http://%s:%u/", a->host, port);
    return true;
}

WwServer *ww_server_new(const WwServerSpec *spec, GError **error)
{
    g_autoptr(WwServer) s = g_new0(WwServer, 1);
    s->spec = *spec;
    s->spec.token = g_strdup(spec->token);
    s->connections = g_array_new(false, false, sizeof(Connection));
    if (!ww_address_parse(spec->address, &s->address, error)) {
        return NULL;
    }
    if (!s->address.loopback && spec->token == NULL) {
        ww_fail(error, WW_ERROR_USAGE,
                "--monitor '%s' would let others than this machine in; expected a loopback "
                "address, or a token (--monitor-token FILE, or WARPWRIGHT_MONITOR_TOKEN)",
                spec->address);
        return NULL;
    }
    s->http = evhttp_new(spec->base);
    if (s->http == NULL) {
        ww_fail(error, WW_ERROR_SYSTEM, "cannot set up the server of --monitor");
        return NULL;
    }
    evhttp_set_allowed_methods(s->http, EVHTTP_REQ_GET | EVHTTP_REQ_POST);
    evhttp_set_max_headers_size(s->http, MOST_HEADERS);
    evhttp_set_max_body_size(s->http, MOST_BODY);
    evhttp_set_timeout(s->http, IDLE_S);
    evhttp_set_bevcb(s->http, on_connection, s);
    evhttp_set_gencb(s->http, on_request, s);
    return listen_there(s, error) ? g_steal_pointer(&s) : NULL;
}

void ww_server_free(WwServer *s)
{
    if (s == NULL) {
        return;
    }
    if (s->http != NULL) {
        evhttp_free(s->http);
    }
    for (guint i = 0; i < s->connections->len; i++) {
        bufferevent_decref(g_array_index(s->connections, Connection, i).bev);
    }
    g_array_unref(s->connections);
    g_free(s->address.host);
    g_free((char *)s->spec.token);
    g_free(s->url);
    g_free(s);
}

const char *ww_server_url(const WwServer *s)
{
    return s->url;
}
