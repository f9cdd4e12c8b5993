package io.rowqueue.internal.handle;

import java.io.InputStream;

/** The payload of a handler of {@link InputStream}; opened anew for each run of the handler. */
@FunctionalInterface
interface StreamedPayload {

  InputStream open();
}
