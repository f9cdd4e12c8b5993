package io.rowqueue.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** Spring Data's repository. */
public interface Items extends JpaRepository<Item, String> {}
