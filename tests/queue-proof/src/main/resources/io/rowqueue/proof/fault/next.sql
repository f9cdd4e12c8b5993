-- The schema version after the newest one, for the rolling deploy of the fault harness: what a release would do to a live
-- table. {next} and {known} become the versions; no release has this file.

SET SESSION lock_wait_timeout = 10;

ALTER TABLE queue_message ADD COLUMN next_note VARCHAR(64) NULL DEFAULT 'none', ALGORITHM=INSTANT;

CREATE INDEX queue_message_next ON queue_message (next_note) ALGORITHM=INPLACE LOCK=NONE;

CREATE TABLE queue_next (
  message_id BIGINT NOT NULL,
  note VARCHAR(64) NOT NULL DEFAULT 'none',
  PRIMARY KEY (message_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO queue_schema (version, oldest_known) VALUES ({next}, {known});
