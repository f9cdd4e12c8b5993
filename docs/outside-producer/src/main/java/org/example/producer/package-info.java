/** A program that only enqueues, with the producers' artifact. */
package org.example.producer;
