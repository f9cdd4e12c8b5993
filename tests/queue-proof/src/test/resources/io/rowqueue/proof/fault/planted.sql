-- For each invariant of invariants.sql: a state that holds, a mistake planted in it, and what must be found then. $E(id, topic,
-- 'key' or NULL) enqueues a message, $D(id, topic, reason) is a dead letter, $F(id, claim) an effect.
--
-- PLANT name / statements that hold / MISTAKE / statements / FINDS text

-- PLANT lost
$E(1, fault.alone, NULL); $F(1, 1); $E(3, fault.alone, NULL); INSERT INTO removed (message_id) VALUES (3);
$E(4, fault.alone, NULL); INSERT INTO queue_message (id, topic, payload) VALUES (4, 'fault.alone', '');
$E(5, fault.outside, NULL); $E(6, fault.alone, NULL); $D(6, fault.alone, x);
-- MISTAKE
$E(2, fault.alone, NULL);
-- FINDS message 2 of fault.alone (SUCCEED) is nowhere

-- PLANT doubled
$E(1, fault.alone, NULL); $F(1, 1);
-- MISTAKE
$F(1, 2); $E(2, fault.alone, NULL); $F(2, 1); INSERT INTO queue_message (id, topic, payload) VALUES (2, 'fault.alone', '');
-- FINDS message 1 is handled,handled
-- FINDS message 2 is available,handled

-- PLANT uncommitted
$E(1, fault.alone, NULL); $F(1, 1);
-- MISTAKE
$F(2, 1); INSERT INTO queue_message (id, topic, payload) VALUES (3, 'fault.alone', '');
-- FINDS message 2, which was never committed, is handled
-- FINDS message 3, which was never committed, is available

-- PLANT stray-attempt
$D(1, fault.alone, x); $A(1, queue_attempt);
-- MISTAKE
$A(3, queue_attempt);
-- FINDS message 3 is gone and its failed attempts are not

-- PLANT unknown-topic
$E(1, fault.unknown, NULL); INSERT INTO queue_message (id, topic, payload) VALUES (1, 'fault.unknown', '');
-- MISTAKE
$E(2, fault.unknown, NULL); INSERT INTO queue_message (id, topic, state, claim_number, payload) VALUES (2, 'fault.unknown', 0, 1, '');
$E(3, fault.unknown, NULL); INSERT INTO queue_message (id, topic, state, claim_number, lock_id, payload) VALUES (3, 'fault.unknown', 1, 1, 'h-1-x', '');
$E(4, fault.unknown, NULL); INSERT INTO queue_message (id, topic, state, claim_number, payload) VALUES (4, 'fault.unknown', 2, 0, '');
$E(5, fault.unknown, NULL); $D(5, fault.unknown, unreadable);
-- FINDS message 2, which no worker knows, was not left alone: state 0, claimed 1 times
-- FINDS message 3, which no worker knows, was not left alone: state 1, claimed 1 times
-- FINDS message 4, which no worker knows, was not left alone: state 2, claimed 0 times
-- FINDS message 5, which no worker knows, was not left alone: it is gone

-- PLANT offered-key
INSERT INTO offered VALUES ('once'); INSERT INTO enqueued VALUES (1, 'fault.alone', 'SUCCEED', NULL, 'once', 0);
-- MISTAKE
INSERT INTO offered VALUES ('twice'), ('lost');
INSERT INTO enqueued VALUES (2, 'fault.alone', 'SUCCEED', NULL, 'twice', 0), (3, 'fault.alone', 'SUCCEED', NULL, 'twice', 0);
-- FINDS key twice was enqueued under 2 times
-- FINDS key lost was enqueued under 0 times

-- PLANT result
$E(1, fault.result, NULL); $F(1, 2); $R(1, 2);
-- MISTAKE
$E(2, fault.result, NULL); $F(2, 2); $R(2, 1); $E(3, fault.result, NULL); $F(3, 1); $R(9, 1);
-- FINDS message 2 took effect without its result
-- FINDS message 3 took effect without its result
-- FINDS message 9 has a result without effect

-- PLANT tick
INSERT INTO tick VALUES (100), (101), (102);
-- MISTAKE
DELETE FROM tick WHERE second = 101;
-- FINDS 1 runs are missing of 3

-- PLANT body
INSERT INTO enqueued VALUES (1, 'fault.alone', 'SUCCEED', NULL, NULL, 40000); $D(1, fault.alone, x);
INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (1, 0, 1, '1');
-- MISTAKE
INSERT INTO enqueued VALUES (2, 'fault.alone', 'SUCCEED', NULL, NULL, 40000); $D(2, fault.alone, body-missing);
-- FINDS dead letter 2 has lost its payload
-- FINDS dead letter 2 is said to have no payload

-- PLANT encrypted
$D(1, fault.encrypted, failed-permanently); $D(2, fault.alone, undecodable);
-- MISTAKE
$D(3, fault.encrypted, undecodable);
-- FINDS dead letter 3 was encrypted, and is said to be undecodable

-- PLANT key-order
$E(1, fault.ordered, 'a'); $E(2, fault.ordered, 'a'); $E(3, fault.ordered, 'b'); $F(3, 1); $F(1, 1); $F(2, 1);
$E(4, fault.ordered, 'c'); $E(5, fault.ordered, 'c'); $F(5, 1); $F(4, 2); INSERT INTO redriven VALUES (4);
-- MISTAKE
$E(6, fault.former, 'd'); $E(7, fault.former, 'd'); $F(7, 1); $F(6, 1);
$E(8, fault.held, 'h'); $E(9, fault.held, 'h'); $F(9, 1); $F(8, 2); INSERT INTO redriven VALUES (8);
$E(10, fault.ordered, 'e'); $E(11, fault.ordered, 'e'); $F(11, 1); $F(10, 1);
-- FINDS message 6 of d was handled behind 7
-- FINDS message 8 of h was handled behind 9
-- FINDS message 10 of e was handled behind 11

-- PLANT key-left
INSERT INTO queue_message (id, topic, payload, ordering_key) VALUES (1, 'fault.ordered', '', 'a');
INSERT INTO queue_ordering_member (group_id, message_id) VALUES (UNHEX(REPEAT('0', 32)), 1);
-- MISTAKE
INSERT INTO queue_ordering_member (group_id, message_id) VALUES (UNHEX(REPEAT('0', 32)), 77);
-- FINDS message 77 is gone and blocks its ordering key

-- PLANT key-blocked
$D(1, fault.ordered, x);
-- MISTAKE
$D(2, fault.held, x);
-- FINDS dead letter 2 still blocks its ordering key

-- PLANT cancelled
INSERT INTO cancelled VALUES (4); INSERT INTO removed (message_id) VALUES (4);
-- MISTAKE
INSERT INTO cancelled VALUES (1), (2), (3), (5); $F(1, 1); $D(2, fault.long, x);
INSERT INTO queue_message (id, topic, payload) VALUES (3, 'fault.long', ''), (5, 'fault.long', '');
UPDATE queue_message SET state = 3 WHERE id = 5;
-- FINDS message 1 was cancelled, and is handled
-- FINDS message 2 was cancelled, and is dead letter
-- FINDS message 3 was cancelled, and is available
-- FINDS message 5 was cancelled, and is blocked

-- PLANT counter-sum
INSERT INTO counted VALUES (1, 5), (2, -3); UPDATE queue_counter SET amount = 2 WHERE name = 'fault.counted' AND slot = 0;
-- MISTAKE
UPDATE queue_counter SET amount = 7 WHERE name = 'fault.counted' AND slot = 0;
-- FINDS the counter holds 7, and by the ledger 2

-- PLANT counter-below-zero
INSERT INTO counted VALUES (1, 5), (2, -999999999);
-- MISTAKE
INSERT INTO counted VALUES (3, -1000000000);
-- FINDS message 3 took 1000000000, which was never there

-- PLANT counter-apart
$E(1, fault.counted, NULL); $F(1, 1); INSERT INTO counted VALUES (1, 0);
-- MISTAKE
$E(2, fault.counted, NULL); $F(2, 1); INSERT INTO counted VALUES (3, 5);
-- FINDS message 2 took effect and has not counted
-- FINDS message 3 counted without effect

-- PLANT upcast
INSERT INTO enqueued VALUES (1, 'fault.upcast', 'SUCCEED', NULL, NULL, 7); $F(1, 1); INSERT INTO upcast VALUES (1, 'SUCCEED', 7);
-- MISTAKE
INSERT INTO enqueued VALUES (2, 'fault.former', 'SUCCEED', NULL, NULL, 7); $F(2, 1); INSERT INTO upcast VALUES (2, 'SUCCEED', 0);
INSERT INTO enqueued VALUES (3, 'fault.former', 'SUCCEED', NULL, NULL, 7); $F(3, 1);
-- FINDS message 2 was enqueued as SUCCEED of 7, and read as SUCCEED of 0
-- FINDS message 3 was enqueued as SUCCEED of 7, and read as nothing

-- PLANT upcast-unreadable
$D(1, fault.former, failed-permanently);
-- MISTAKE
$D(2, fault.former, undecodable);
-- FINDS dead letter 2 of fault.former is said to be undecodable

-- PLANT subscription
INSERT INTO published VALUES (1, 1, 1), (2, 0, 0);
-- MISTAKE
INSERT INTO published VALUES (3, 1, 0), (4, 0, 1);
-- FINDS publication 3 has 0 copies, and one topic was subscribed
-- FINDS publication 4 has 1 copies, and none was subscribed

-- PLANT answer
$F(1, 2); $R(1, 2); INSERT INTO awaited VALUES (1, 'ANSWERED', 2, 0);
-- MISTAKE
$F(2, 2); $R(2, 2); INSERT INTO awaited VALUES (2, 'ANSWERED', 1, 0);
-- FINDS message 2 was answered with 1, its result is 2 and its effect of claim 2

-- PLANT answer-dead-or-gone
INSERT INTO awaited VALUES (1, 'DEAD', NULL, 0), (2, 'GONE', NULL, 0), (5, 'DEAD', NULL, 0); INSERT INTO removed (message_id) VALUES (2);
$F(5, 2); INSERT INTO redriven VALUES (5);
-- MISTAKE
INSERT INTO awaited VALUES (3, 'DEAD', NULL, 0), (4, 'GONE', NULL, 0); $F(3, 1);
-- FINDS message 3 was said to be a dead letter, and took effect
-- FINDS message 4 was said to be gone, and no client removed it

-- PLANT answer-late
INSERT INTO awaited VALUES (1, 'TIMEOUT', NULL, 10000);
-- MISTAKE
INSERT INTO awaited VALUES (2, 'TIMEOUT', NULL, 10001);
-- FINDS message 2 was awaited for 10001 ms longer than said

-- PLANT schedule-twice
$M(fault.second.once, 1000000, 1000000, 2000000, 1000001, 1); $M(fault.second.once, 2000000, 2000000, 3000000, 2000001, 1);
-- MISTAKE
$M(fault.second.once, 2000000, 2000000, 3000000, 2000002, 1);
-- FINDS fault.second.once ran 2 times for 2000000

-- PLANT schedule-apart
$M(fault.second.once, 1000000, 1000000, 2000000, 1000001, 1); INSERT INTO scheduled_run VALUES ('fault.second.once', 1000000);
-- MISTAKE
$M(fault.second.once, 2000000, 2000000, 3000000, 2000001, 1); INSERT INTO scheduled_run VALUES ('fault.second.once', 9000000);
-- FINDS fault.second.once moved on from 2000000, and nothing came of it
-- FINDS fault.second.once ran for 9000000, and did not move on

-- PLANT schedule-next
$M(fault.second.once, 1000000, 1000000, 2000000, 1000001, 1); $M(fault.cron.skip.4, 60000000, 60000000, 120000000, 64000000, 1);
$M(fault.cron.skip.4, 120000000, 60000000, 180000000, 184000000, 0);
-- MISTAKE
$M(fault.second.once, 4000000, 4000000, 7000000, 6000001, 1); $M(fault.second.once, 7000000, 4000000, 8000000, 7000001, 0);
-- FINDS fault.second.once ran for 4000000, and is to run again at 7000000
-- FINDS fault.second.once was due at 7000000 and skipped it

-- PLANT schedule-late
INSERT INTO schedule_pause VALUES (62000000, 63000000); $M(fault.cron.skip.4, 120000000, 120000000, 180000000, 124000000, 1);
$M(fault.cron.once.0, 60000000, 60000000, 120000000, 64000000, 1);
-- MISTAKE
$M(fault.cron.skip.4, 60000000, 60000000, 120000000, 64000000, 1);
-- FINDS fault.cron.skip.4 was to skip 60000000, and ran for it at 64000000

-- PLANT schedule-paused
INSERT INTO schedule_pause VALUES (200000000, 210000000); $M(fault.cron.once.0, 60000000, 180000000, 240000000, 199999999, 1);
-- MISTAKE
$M(fault.cron.once.0, 60000000, 120000000, 180000000, 205000000, 1);
-- FINDS fault.cron.once.0 was paused, and moved on at 205000000

-- PLANT stream
INSERT INTO streamed VALUES (1, 'ROWS', 7, REPEAT('a', 64)); $F(1, 1); INSERT INTO streamed_effect VALUES (1, 7, REPEAT('a', 64));
INSERT INTO streamed VALUES (2, 'ROWS', 7, REPEAT('a', 64)), (3, 'ROWS', 7, REPEAT('a', 64)), (4, 'ROWS', 7, REPEAT('a', 64));
-- MISTAKE
$F(2, 1); INSERT INTO streamed_effect VALUES (2, 6, REPEAT('a', 64)); $F(3, 1); INSERT INTO streamed_effect VALUES (3, 7, REPEAT('b', 64));
$F(4, 1);
-- FINDS message 2 was sent as 7 bytes of aaaaaaaa, and read as 6 of aaaaaaaa
-- FINDS message 3 was sent as 7 bytes of aaaaaaaa, and read as 7 of bbbbbbbb
-- FINDS message 4 was sent as 7 bytes of aaaaaaaa, and read as nothing

-- PLANT stream-uncommitted
INSERT INTO streamed VALUES (1, 'ROWS', 7, ''); INSERT INTO streamed_effect VALUES (1, 7, '');
-- MISTAKE
INSERT INTO streamed_effect VALUES (8, 7, ''); INSERT INTO queue_message (id, topic, payload) VALUES (9, 'fault.streamed', '');
$D(10, fault.streamed, x);
-- FINDS stream 8 was never committed, and is read
-- FINDS stream 9 was never committed, and is in the queue
-- FINDS stream 10 was never committed, and is a dead letter

-- PLANT stream-cut
INSERT INTO streamed VALUES (5, 'ROWS', 7, ''), (6, 'ROWS', 7, ''); $D(6, fault.streamed, x);
INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (6, 0, 0, '1234'), (6, 1, 1, '567');
-- MISTAKE
$D(5, fault.streamed, x); INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (5, 0, 0, '1234');
-- FINDS dead letter 5 has 4 bytes of its stream of 7

-- PLANT body-left
$D(1, fault.alone, x); INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (1, 0, 1, 'x');
-- MISTAKE
INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (2, 1, 1, 'x');
INSERT INTO queue_payload_ref (message_id, store, reference, bytes, sha256) VALUES (3, 'other', 'none', 1, REPEAT('x', 32));
-- FINDS message 2 is gone, and its payload is left
-- FINDS message 3 is gone, and its payload is left

-- PLANT batch-once
INSERT INTO batched VALUES (1, 1); $C(1, 1, 1, 0, 0, 1, 0);
-- MISTAKE
INSERT INTO batched VALUES (10, 2); $C(11, 1, 1, 0, 0, 1, 0);
-- FINDS batch 10 of 2 never completed
-- FINDS batch 11 was never committed, and completed

-- PLANT batch-counts
INSERT INTO batched VALUES (1, 3); $C(1, 3, 1, 1, 1, 1, 0);
-- MISTAKE
INSERT INTO batched VALUES (12, 2), (13, 2); $C(12, 2, 1, 0, 0, 1, 0); $C(13, 1, 1, 0, 0, 1, 0);
-- FINDS batch 12 of 2 completed with total=2 done=1 failed=0 cancelled=0
-- FINDS batch 13 of 2 completed with total=1 done=1 failed=0 cancelled=0

-- PLANT batch-added
INSERT INTO batched VALUES (10, 1); INSERT INTO part VALUES ('a', 10, NULL), ('b', 10, 'n'), ('c', 10, 'n'); INSERT INTO nested VALUES ('n', 10);
$C(10, 3, 3, 0, 0, 1, 2);
-- MISTAKE
UPDATE completed SET added = 1;
-- FINDS batch 10 completed behind 1 of 2 that were added

-- PLANT batch-cancelled
INSERT INTO batched VALUES (10, 3); INSERT INTO batch_member VALUES (1, 10), (2, 10), (3, 10); $C(10, 3, 1, 0, 2, 1, 0); $F(1, 1);
-- MISTAKE
$F(2, 1);
-- FINDS batch 10 of 3 completed with total=3 done=1 failed=0 cancelled=2, and 2 of its members are somewhere

-- PLANT batch-early
$E(1, fault.alone, NULL); $E(2, fault.outside, NULL); INSERT INTO batched VALUES (13, 2); INSERT INTO batch_member VALUES (1, 13), (2, 13);
$C(13, 2, 2, 0, 0, 1, 0);
-- MISTAKE
UPDATE completed SET effects = 0;
-- FINDS batch 13 completed with total=2 done=2 failed=0 cancelled=0 and 0 effects, 1 of its members being outside

-- PLANT batch-answer
INSERT INTO batched VALUES (11, 3), (12, 1), (13, 1); $C(11, 3, 1, 0, 2, 1, 0); $C(12, 1, 0, 0, 1, 1, 0); $C(13, 1, 1, 0, 0, 1, 0);
INSERT INTO cancelled_batch VALUES (11, 2), (12, 2), (13, NULL); INSERT INTO part VALUES ('p', 12, 'n');
-- MISTAKE
INSERT INTO part_done VALUES ('p'); UPDATE cancelled_batch SET answered = 3 WHERE batch_id = 11;
-- FINDS batch 11 was said to lose 3 messages, and completed with total=3 done=1 failed=0 cancelled=2
-- FINDS batch 12 was said to lose 2 messages, and completed with total=1 done=0 failed=0 cancelled=1

-- PLANT part
INSERT INTO part VALUES ('a', 10, NULL), ('c', 12, NULL); INSERT INTO part_done VALUES ('a'); INSERT INTO cancelled_batch VALUES (12, 1);
-- MISTAKE
INSERT INTO part VALUES ('d', 11, NULL); INSERT INTO part_done VALUES ('stray');
-- FINDS part d was never handled
-- FINDS part stray was rolled back, and was handled

-- PLANT nested
INSERT INTO nested VALUES ('n', 10), ('c', 12); INSERT INTO nested_done VALUES ('n', '', 2); INSERT INTO cancelled_batch VALUES (12, 1);
-- MISTAKE
INSERT INTO nested VALUES ('m', 11); INSERT INTO nested_done VALUES ('none', '', 2);
-- FINDS nested batch m never completed
-- FINDS nested batch none was rolled back, and completed

-- PLANT nested-counts
INSERT INTO nested VALUES ('n', 10), ('o', 12), ('m', 13); INSERT INTO cancelled_batch VALUES (12, 1), (13, 1);
INSERT INTO nested_done VALUES ('n', 'total=2 done=2 failed=0 cancelled=0', 2), ('o', 'total=2 done=1 failed=0 cancelled=1', 1);
-- MISTAKE
INSERT INTO nested_done VALUES ('m', 'total=2 done=1 failed=0 cancelled=0', 1), ('p', 'total=2 done=1 failed=0 cancelled=1', 1);
-- FINDS nested batch m completed with total=2 done=1 failed=0 cancelled=0 behind 1 parts
-- FINDS nested batch p completed with total=2 done=1 failed=0 cancelled=1 behind 1 parts

-- PLANT chain
INSERT INTO chained VALUES ('whole'), ('cut'); INSERT INTO cancelled_chain VALUES ('cut', 1, 0);
INSERT INTO step (chain, number) VALUES ('whole', 1), ('whole', 2), ('whole', 3);
-- MISTAKE
INSERT INTO chained VALUES ('short'); INSERT INTO step (chain, number) VALUES ('short', 1), ('stray', 1);
-- FINDS chain short took 1 steps
-- FINDS chain stray was never committed, and took step 1

-- PLANT chain-order
INSERT INTO step (chain, number) VALUES ('a', 1), ('b', 1), ('a', 2), ('a', 3);
-- MISTAKE
INSERT INTO step (chain, number) VALUES ('b', 3), ('b', 2);
-- FINDS step 2 of chain b was taken behind step 3

-- PLANT chain-cancelled
INSERT INTO cancelled_chain VALUES ('c', 0, 1), ('d', NULL, NULL), ('a', 1, 1), ('b', 0, 1);
INSERT INTO step (chain, number) VALUES ('c', 1), ('c', 2), ('d', 1), ('a', 1), ('b', 1), ('b', 2);
-- MISTAKE
INSERT INTO step (chain, number) VALUES ('a', 2), ('b', 3);
-- FINDS chain a was cancelled with its message behind 1 steps, and took 2
-- FINDS chain b was cancelled behind 1 steps, and took 3

-- PLANT chain-skipped
INSERT INTO cancelled_chain VALUES ('a', 1, 1), ('d', NULL, NULL); INSERT INTO step (chain, number) VALUES ('a', 1), ('d', 1);
-- MISTAKE
INSERT INTO step (chain, number) VALUES ('d', 3);
-- FINDS chain d took step 3 behind 1 others

-- PLANT keyed-other
$K(1, is_alive, a); $O(alive, a, 1, INSERTED, NULL, NULL, NULL); $O(alive, a, 1, DUPLICATE, NULL, NULL, 0);
-- MISTAKE
$O(alive, a, 3, DUPLICATE, NULL, NULL, 0); $O(refused, a, -1, REFUSED, NULL, NULL, NULL); $K(2, is_alive, b); $O(alive, a, 2, DUPLICATE, NULL, NULL, 0);
-- FINDS offer 3 was answered with message 3, which is none of a
-- FINDS offer 4 was answered with message -1, which is none of a
-- FINDS offer 5 was answered with message 2, which is none of a

-- PLANT keyed-gone
$O(alive, a, 2, INSERTED, 1, NULL, NULL); $O(alive, a, 2, DUPLICATE, 1, NULL, 0);
-- MISTAKE
$O(alive, a, 1, DUPLICATE, 1, NULL, NULL); $O(refused, a, 1, REFUSED, 1, NULL, NULL);
-- FINDS offer 3 of a was answered with message 1, and 1 was gone
-- FINDS offer 4 of a was answered with message 1, and 1 was gone

-- PLANT keyed-claimed
$O(waiting, w, 2, INSERTED, NULL, NULL, NULL); $O(waiting, w, 2, DUPLICATE, NULL, NULL, 2); $O(alive, a, 1, DUPLICATE, NULL, NULL, 1);
-- MISTAKE
$O(waiting, w, 2, DUPLICATE, NULL, NULL, 1); $O(replaced, w, 2, REPLACED, NULL, NULL, NULL);
-- FINDS offer 4 of w was answered with message 2, which does not wait but is in state 1
-- FINDS offer 5 of w was answered with message 2, which does not wait but is in state gone

-- PLANT keyed-beside
$O(alive, a, 2, INSERTED, NULL, 1, NULL); INSERT INTO redriven VALUES (1);
-- MISTAKE
$O(alive, a, 4, INSERTED, NULL, 3, NULL);
-- FINDS message 4 of a came while 3 held the key

-- PLANT keyed-content
$O(replaced, r, 1, INSERTED, NULL, NULL, NULL); $O(replaced, r, 1, REPLACED, NULL, NULL, 2); $O(replaced, r, 1, DUPLICATE, NULL, NULL, 2);
$F(1, 1); INSERT INTO keyed_effect VALUES (1, 2);
-- MISTAKE
UPDATE keyed_effect SET content = 1; $O(alive, a, 3, INSERTED, NULL, NULL, NULL); $F(3, 1);
-- FINDS message 1 took effect with content 1, and the last one committed was 2
-- FINDS message 3 took effect with content none, and the last one committed was 4

-- PLANT keyed-lives
$O(alive, a, 1, INSERTED, NULL, NULL, NULL); $O(alive, a, 2, INSERTED, NULL, NULL, NULL); $F(1, 1); $F(2, 1);
$O(alive, b, 3, INSERTED, NULL, NULL, NULL); $O(alive, b, 4, INSERTED, NULL, NULL, NULL); $F(4, 1); $F(3, 1); INSERT INTO redriven VALUES (3);
-- MISTAKE
$O(refused, c, 5, INSERTED, NULL, NULL, NULL); $O(refused, c, 6, INSERTED, NULL, NULL, NULL); $F(6, 1); $F(5, 1);
-- FINDS message 5 of c took effect behind 6

-- PLANT everything is exercised
INSERT INTO tick VALUES (1); INSERT INTO schedule_pause VALUES (1, 2); $M(fault.cron.once.0, 1, 2, 3, 4, 1); $M(fault.cron.skip.0, 1, 2, 3, 4, 0);
$R(1, 1); $E(2, fault.copy.alone, NULL); INSERT INTO offered VALUES ('k'); $E(3, fault.encrypted, NULL); $E(4, fault.long, NULL);
INSERT INTO enqueued VALUES (5, 'fault.alone', 'SUCCEED', NULL, NULL, 40000), (6, 'fault.alone', 'SUCCEED', NULL, NULL, 60000);
$E(7, fault.ordered, 'a'); $E(8, fault.former, 'a'); INSERT INTO mended VALUES (1); INSERT INTO upcast VALUES (1, '', 1);
$E(9, fault.limited, NULL); $E(10, fault.limited.key, 'a'); $E(11, fault.rated, NULL); $E(12, fault.rated.key, 'a');
INSERT INTO limit_change (topic, most, since, until) VALUES ('fault.limited', 3, 0, 1999999999), ('fault.limited.key', 3, 0, 1999999999),
  ('fault.limited', 1, 0, 2000000001), ('fault.limited.key', 2, 0, 2000000001);
INSERT INTO cancel_requested VALUES (1); INSERT INTO published (subscribed, copies) VALUES (1, 1), (0, 0); INSERT INTO counted VALUES (1, 1), (2, 0);
INSERT INTO streamed VALUES (1, 'ROWS', 1, ''), (2, 'FILES', 1, ''); INSERT INTO streamed_effect VALUES (1, 1, ''), (2, 1, '');
INSERT INTO stream_rolled_back VALUES (); $C(1, 1, 1, 0, 0, 1, 0); INSERT INTO part VALUES ('p', 1, NULL); INSERT INTO nested VALUES ('n', 1);
INSERT INTO cancelled_batch VALUES (1, 1); INSERT INTO step (chain, number) VALUES ('a', 1); INSERT INTO cancelled_chain VALUES ('a', 1, 1);
$O(alive, a, 1, INSERTED, NULL, NULL, NULL); $O(alive, a, 1, DUPLICATE, NULL, NULL, NULL); $O(alive, a, 2, INSERTED, NULL, NULL, NULL);
$O(refused, r, 1, INSERTED, NULL, NULL, NULL); $O(refused, r, 1, REFUSED, NULL, NULL, NULL); $O(refused, r, 2, INSERTED, NULL, NULL, NULL);
$O(waiting, w, 1, INSERTED, NULL, NULL, NULL); $O(waiting, w, 1, DUPLICATE, NULL, NULL, NULL); $O(waiting, w, 2, INSERTED, NULL, NULL, NULL);
$O(replaced, p, 1, INSERTED, NULL, NULL, NULL); $O(replaced, p, 1, REPLACED, NULL, NULL, NULL); $O(replaced, p, 2, INSERTED, NULL, NULL, NULL);
UPDATE keyed SET in_snapshot = 1 WHERE outcome <> 'INSERTED'; $O(alive, x-new-1, 1, DUPLICATE, NULL, NULL, NULL); UPDATE keyed SET fresh = 1;
-- MISTAKE
-- FINDS nothing
