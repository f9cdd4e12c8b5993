CREATE TABLE customer_order (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  customer VARCHAR(100) NOT NULL,
  item VARCHAR(100) NOT NULL
);

CREATE TABLE invoice (
  order_id BIGINT PRIMARY KEY,
  text VARCHAR(250) NOT NULL,
  mailed_by_attempt INT
);
