package io.rowqueue.spring.shop;

import io.rowqueue.spring.QueueTemplate;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The ways in which an application writes. */
@Component
public class Writer {

  /** A way. */
  public enum Way {
    JDBC,
    JPA,
    JOOQ,
    MYBATIS
  }

  private final JdbcTemplate jdbc;
  private final Items items;
  private final DSLContext dsl;
  private final ItemMapper mapper;
  private final QueueTemplate queue;

  Writer(JdbcTemplate jdbc, Items items, DSLContext dsl, ItemMapper mapper, QueueTemplate queue) {
    this.jdbc = jdbc;
    this.items = items;
    this.dsl = dsl;
    this.mapper = mapper;
    this.queue = queue;
  }

  /** Inserts an item, in the transaction under way or one of its own. */
  @Transactional
  public void write(Way way, String name) {
    switch (way) {
      case JDBC -> jdbc.update("INSERT INTO item (name, writer) VALUES (?, ?)", name, "jdbc");
      case JPA -> items.save(new Item(name, "jpa"));
      case JOOQ ->
          dsl.insertInto(DSL.table("item"), DSL.field("name"), DSL.field("writer"))
              .values(name, "jooq")
              .execute();
      case MYBATIS -> mapper.insert(name, "mybatis");
    }
  }

  /** Inserts an item in a transaction of its own. */
  @Transactional(propagation = Propagation.REQUIRES_NEW)
  public void writeApart(Way way, String name) {
    write(way, name);
  }

  /** Inserts an item and enqueues a message without a handler, and may fail then. */
  @Transactional
  public void writeAndEnqueue(Way way, String name, boolean fails) {
    write(way, name);
    queue.enqueue("written", name);
    if (fails) {
      throw new IllegalStateException("the service failed");
    }
  }

  /** Sends a statement. */
  public void send(String sql) {
    jdbc.execute(sql);
  }

  /** Sends a statement in a transaction of its own. */
  @Transactional(propagation = Propagation.REQUIRES_NEW)
  public void sendApart(String sql) {
    jdbc.execute(sql);
  }

  /** Marks the transaction under way. */
  @Transactional
  public void fail() {
    throw new IllegalStateException("a service failed");
  }
}
