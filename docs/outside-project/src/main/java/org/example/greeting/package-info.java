/** A team's handler, its payload, and the module that the worker finds it by. */
package org.example.greeting;
