package io.rowqueue.handle;

import io.rowqueue.claim.Claim;
import java.util.Map;

/** A claim that is ready to be handled: its payload decoded, its headers read. */
record Call(
    Claim claim,
    BoundHandler handler,
    Handling handling,
    Object payload,
    Map<String, String> headers) {}
