package io.rowqueue.spring.shop;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;

/** MyBatis. */
public interface ItemMapper {

  /** Inserts an item. */
  @Insert("INSERT INTO item (name, writer) VALUES (#{name}, #{writer})")
  void insert(@Param("name") String name, @Param("writer") String writer);
}
