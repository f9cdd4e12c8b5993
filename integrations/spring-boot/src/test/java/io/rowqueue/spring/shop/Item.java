package io.rowqueue.spring.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import jakarta.persistence.PrePersist;

/** A row that a handler or a service writes. */
@Entity
@EntityListeners(Item.Listener.class)
public class Item {

  @Id private String name = "";
  private String writer = "";

  /** For JPA. */
  protected Item() {}

  /** An item by {@code writer}. */
  public Item(String name, String writer) {
    this.name = name;
    this.writer = writer;
  }

  /** Its key. */
  public String name() {
    return name;
  }

  /** Who wrote it. */
  public String writer() {
    return writer;
  }

  /** Sees the item when it is flushed. */
  public static class Listener {

    @PrePersist
    void mark(Item item) {
      item.writer += "+";
    }
  }
}
