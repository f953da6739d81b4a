/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A small HTTP server on the event loop of a run (libevent's evhttp), made for one user and careful with everybody else.
 *
 * Whoever asks is bounded: 8 KiB of headers, 4 KiB of body, 32 connections (the oldest gives way), one request a connection, 5 seconds until
 * the request is there and 30 for the answer. Refused are other methods than GET and POST, names in `Host` that are not ours (a foreign
 * name that leads here), pages of other origins, POSTs without the header `X-Warpwright`, and below /api/ everything without the
 * token where there is one. Every answer forbids scripts, frames and data of others.
 */
#pragma once

#include <warpwright/base.h>

struct event_base;
/** A server of HTTP that listens at one address. Free with ww_server_free(). */
typedef struct WwServer WwServer;

/** A request that may be answered. */
typedef struct WwRequest {
    bool post;
    const char *path;  /**< Decoded, without the query: begins with '/'. */
    GHashTable *query; /**< char * -> char *, decoded. */
    const char *body;  /**< Of @c size bytes, and a 0 behind them. */
    size_t size;
} WwRequest;

/** The answer. Zero: 404. */
typedef struct WwReply {
    int status;
    const char *type;  /**< Of the content: "application/json". */
    const char *bytes; /**< The content: as long as the server, */
    char *owned;       /**< or freed by the server with g_free(). */
    size_t size;
} WwReply;

/** Answers @p request, which is valid during the call, with @p reply, which is zero at first. */
typedef void (*WwServeFn)(void *user, const WwRequest *request, WwReply *reply);

/** Parameters of ww_server_new(). */
typedef struct WwServerSpec {
    struct event_base *base;
    const char
        *address; /**< "127.0.0.1", "[::1]:8080", "localhost:0"; "": loopback and a free port. */
    const char *token; /**< NULL: none; then loopback only. */
    WwServeFn serve;
    void *user;
} WwServerSpec;

/** Listens. The error says what is wrong with the address. */
WW_API WwServer *ww_server_new(const WwServerSpec *spec, GError **error);
/** Ends all connections; @p server may be NULL. */
WW_API void ww_server_free(WwServer *server);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwServer, ww_server_free)
/** "http://127.0.0.1:41235/" */
WW_API const char *ww_server_url(const WwServer *server);
/** Between two passes of the event loop: is somebody being served, so that another pass is worth it? Ends what took too long. */
WW_API bool ww_server_busy(WwServer *server);

/** Checks a token's characters and length; @p what is named in the error. */
WW_API bool ww_server_check_token(const char *what, const char *token, GError **error);
