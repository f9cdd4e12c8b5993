package org.example.micronaut;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.rowqueue.worker.Worker;
import javax.sql.DataSource;

/** The worker in the application. */
@Factory
class OrderWorker {

  // snippet: micronaut-handle
  @Context
  @Bean(preDestroy = "close")
  Worker worker(DataSource dataSource) {
    return Worker.builder(DelegatingDataSource.unwrapDataSource(dataSource)) // the pool itself
        .handle(
            "order.placed",
            String.class,
            (order, context) -> Papers.insert(context.connection(), "invoice of " + order))
        .threads(4) // of the 10 connections, 8 for the worker
        .start();
  }
  // end snippet
}
