CREATE TABLE IF NOT EXISTS shop_order (
  id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  email VARCHAR(254) NOT NULL,
  sku VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  quantity INT NOT NULL,
  state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  placed_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  sweep_id BIGINT NOT NULL DEFAULT 0,
  sweep_started DATETIME(6) NULL,
  PRIMARY KEY (id),
  KEY shop_order_sweep (state, sweep_id, placed_at)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS shop_payment (
  order_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  answer VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (order_id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS shop_sweep (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation BIGINT NOT NULL,
  PRIMARY KEY (topic)
) ENGINE = InnoDB;

INSERT IGNORE INTO shop_sweep (topic, generation) VALUES ('orders.sweep', 1);

CREATE TABLE IF NOT EXISTS shop_customer (
  email VARCHAR(254) NOT NULL,
  points BIGINT NOT NULL,
  PRIMARY KEY (email)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS shop_partner (
  sku VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  url VARCHAR(255) NOT NULL,
  PRIMARY KEY (sku, url)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS shop_report (
  until_at DATETIME(6) NOT NULL,
  orders BIGINT NOT NULL,
  pieces BIGINT NOT NULL,
  PRIMARY KEY (until_at)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS shop_newsletter (
  subject VARCHAR(200) NOT NULL,
  counts VARCHAR(100) NOT NULL,
  sent_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  PRIMARY KEY (subject)
) ENGINE = InnoDB;
