/** An order service with Micronaut. */
package org.example.micronaut;
