/** A mail to all customers: a batch, and what happens when its last mail is out. */
@NullMarked
package io.rowqueue.example.newsletter;

import org.jspecify.annotations.NullMarked;
