/** Real worker processes: the shipped jar, a plug-in of the proof's, and the wire in between. */
@NullMarked
package io.rowqueue.tests.process;

import org.jspecify.annotations.NullMarked;
