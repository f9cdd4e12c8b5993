------------------------------ MODULE RowQueue ------------------------------
(***************************************************************************)
(* The protocol of RowQueue, from a message's enqueue to its settlement,   *)
(* with the faults that it is made for.  docs/internals/specification.md   *)
(* says which action is which transition and which code.                   *)
(*                                                                         *)
(* One step is one committed transaction, or one thing that a process does *)
(* in its memory.  A process that is killed before, during or after its    *)
(* COMMIT is therefore a Crash before or after a step.  Only where a       *)
(* process outlives a COMMIT without its answer does a step come in two    *)
(* forms, answered and not.                                                *)
(*                                                                         *)
(* Nothing obliges a thread to take its next step soon: a slow handler, a  *)
(* reaper that acts on what it read long ago, and a worker that claims in  *)
(* the moment of its death are all here without an action of their own.    *)
(*                                                                         *)
(* How a death is seen early, by a lock that is free, stands in            *)
(* LivenessLock.tla; here only the lease decides.                          *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Messages,
  Workers,
  MaxAttempts,  \* so many failed handlings make a dead letter
  MaxLost,      \* so many counted losses make a dead letter
  Faults        \* how many faults and whims one behaviour may have in all

(* Each of these holds in RowQueue.  SpecificationTest switches them off   *)
(* one by one, and each time the property that needs it must break: a      *)
(* property that no mutation can break would prove nothing.                *)
CONSTANTS
  FenceHasLockId,        \* settlements say lock_id = ?
  FenceHasClaimNumber,   \* settlements say claims = ?
  AckWithEffect,         \* the handler's writes and the DELETE are one transaction
  ClaimsAreReconciled,   \* a worker releases what it holds and does not know
  DatabaseClock,         \* leases are written by the database's clock
  DeathIsGuarded,        \* declare-dead says lease_until = as it was read
  DeathBeforeReap,       \* only claims of workers that are declared dead are reaped
  ReapLooksAgain,        \* under the lock the row must still be the claim that was seen
  SuspectsAreMarked,     \* of a suspect, only claims that were marked count as lost
  RedriveKeepsNumber     \* a redriven message keeps its claim number

ASSUME MaxAttempts >= 1 /\ MaxLost >= 1 /\ Faults \in Nat

VARIABLES
  \* What the database holds:
  queue,      \* queue_message
  deadLetter, \* queue_dead_letter
  registry,   \* queue_worker, by lock_id
  \* What the processes know:
  process,    \* whether a worker runs, and under which lock_id
  inFlight,   \* its table of claims, each with how far its handling is
  seen,       \* what reapers have read and not yet acted on
  \* What nobody knows but this specification:
  history,    \* what has happened, for the properties to look at
  faults      \* how many are left

database == <<queue, deadLetter, registry>>
memory == <<process, inFlight, seen>>
vars == <<database, memory, history, faults>>

-----------------------------------------------------------------------------
(* Words *)

\* Every life but the first takes a fault, so that there are never more.
Lives == 1..(Faults + 1)
LockIds == Workers \X Lives
NoRow == [state |-> "none"]
Nobody == <<>>

Present(m) == queue[m] # NoRow
Claimed(m) == queue[m].state = "claimed"
IsDeadLetter(m) == deadLetter[m] # NoRow

Runs(w) == process[w].is = "running"
SomebodyRuns == \E w \in Workers : Runs(w)
LockIdOf(w) == <<w, process[w].life>>
\* Whose row says alive, whatever its lease.
Alive(l) == registry[l] \in {"fresh", "overdue"}

\* A claim is known by its message, lock_id and claim number.
KeyOf(c) == [message |-> c.message, lockId |-> c.lockId, number |-> c.number]
RowKey(m) == [message |-> m, lockId |-> queue[m].lockId, number |-> queue[m].claims]
Known(w) == {KeyOf(c) : c \in inFlight[w]}

\* A row that a handler's transaction has deleted and not committed: whoever
\* wants to change it waits, and reap skips it.
Locked(m) == \E w \in Workers : \E c \in inFlight[w] : c.message = m /\ c.phase = "deleted"

\* id = ? AND lock_id = ? AND claims = ?
Fence(c) ==
  /\ Present(c.message)
  /\ FenceHasLockId => queue[c.message].lockId = c.lockId
  /\ FenceHasClaimNumber => queue[c.message].claims = c.number

Fault == faults > 0 /\ faults' = faults - 1
NoFault == faults' = faults

\* A claim leaves the table, or its handling comes to the next phase.
Leaves(w, c) == inFlight' = [inFlight EXCEPT ![w] = @ \ {c}]
Becomes(w, c, phase) ==
  inFlight' = [inFlight EXCEPT ![w] = (@ \ {c}) \cup {[c EXCEPT !.phase = phase]}]

\* After a COMMIT with an answer the claim is done with; without one the
\* worker knows as much as before, and does it again.
DoneIfAnswered(w, c) == (NoFault /\ Leaves(w, c)) \/ (Fault /\ UNCHANGED inFlight)

\* Who changes a row under a claim that does not hold it is an intruder.
Ending(c) ==
  IF RowKey(c.message) = KeyOf(c) THEN history
  ELSE [history EXCEPT !.intruders = @ \cup {[claim |-> KeyOf(c), dead |-> ~Alive(c.lockId)]}]

-----------------------------------------------------------------------------
Init ==
  /\ queue = [m \in Messages |-> NoRow]
  /\ deadLetter = [m \in Messages |-> NoRow]
  /\ registry = [l \in LockIds |-> IF l[2] = 1 THEN "fresh" ELSE "none"]
  /\ process = [w \in Workers |-> [is |-> "running", life |-> 1, slept |-> FALSE]]
  /\ inFlight = [w \in Workers |-> {}]
  /\ seen = [expired |-> {}, orphans |-> {}]
  /\ history =
       [enqueued |-> {},                           \* messages whose producer has committed
        acked |-> {},                              \* messages whose ack has committed
        effects |-> [m \in Messages |-> 0],        \* committed effects of a message
        failures |-> [m \in Messages |-> 0],       \* handlings that ran and failed
        losses |-> [m \in Messages |-> 0],         \* claims that were reaped
        markedLosses |-> [m \in Messages |-> 0],   \* and of the suspect's, those that had begun
        marked |-> {},                             \* claims that began as a suspect's
        intruders |-> {},                          \* claims that changed a row of another's
        robbed |-> {}]                             \* claims that were reaped from the living
  /\ faults = Faults

-----------------------------------------------------------------------------
(* In: enqueue, promote, claim *)

Enqueue(m) ==
  /\ m \notin history.enqueued
  /\ queue' = [queue EXCEPT ![m] =
       [state |-> "available", lockId |-> Nobody, claims |-> 0, attempts |-> 0, lost |-> 0,
        started |-> FALSE]]
  /\ history' = [history EXCEPT !.enqueued = @ \cup {m}]
  /\ UNCHANGED <<deadLetter, registry, memory, faults>>

\* When a message is due is left open: how long a backoff is does not matter.
Promote(m) ==
  /\ Present(m) /\ queue[m].state = "scheduled"
  /\ queue' = [queue EXCEPT ![m].state = "available"]
  /\ UNCHANGED <<deadLetter, registry, memory, history, faults>>

\* A worker claims under the lock_id that it thinks is its own.  Its local
\* clock stops it before its lease runs out, but it may have slept between
\* that look and the claim: then it claims once more after its death.  Of a
\* claim whose COMMIT got no answer only the database knows.
Claim(w, m) ==
  LET number == queue[m].claims + 1
      taken == [message |-> m, lockId |-> LockIdOf(w), number |-> number,
                suspect |-> queue[m].lost > 0, phase |-> "waiting"]
      known == inFlight' = [inFlight EXCEPT ![w] = @ \cup {taken}]
  IN
  /\ Runs(w) /\ Present(m) /\ queue[m].state = "available"
  /\ queue' = [queue EXCEPT ![m] =
       [@ EXCEPT !.state = "claimed", !.lockId = LockIdOf(w), !.claims = number, !.started = FALSE]]
  /\ IF Alive(LockIdOf(w))
     THEN (NoFault /\ known) \/ (Fault /\ UNCHANGED inFlight)
     ELSE Fault /\ known
  /\ history' = [history EXCEPT !.marked = {k \in @ : k.message # m}]
  /\ UNCHANGED <<deadLetter, registry, process, seen>>

-----------------------------------------------------------------------------
(* Handling: start, the handler itself, ack *)

\* A suspect is marked before its handler runs, in a commit of its own, so
\* that its worker's death counts against it.
Start(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase = "waiting" /\ c.suspect /\ ~Locked(c.message)
  /\ IF Fence(c)
     THEN /\ queue' = [queue EXCEPT ![c.message].started = TRUE]
          /\ history' = [history EXCEPT !.marked = @ \cup {KeyOf(c)}]
          /\ (NoFault /\ Becomes(w, c, "started")) \/ (Fault /\ UNCHANGED inFlight)
     ELSE Leaves(w, c) /\ NoFault /\ UNCHANGED <<queue, history>>
  /\ UNCHANGED <<deadLetter, registry, process, seen>>

Handle(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase = (IF c.suspect THEN "started" ELSE "waiting")
  /\ Becomes(w, c, "handling")
  /\ UNCHANGED <<database, process, seen, history, faults>>

\* A mutation: the handler's writes are committed before, and apart from, the
\* message's deletion.  RowQueue never does this.
CommitApart(w) == \E c \in inFlight[w] :
  /\ ~AckWithEffect
  /\ Runs(w) /\ c.phase = "handling"
  /\ Becomes(w, c, "apart")
  /\ history' = [history EXCEPT !.effects[c.message] = @ + 1]
  /\ UNCHANGED <<database, process, seen, faults>>

\* The DELETE behind the handler, in its transaction.  It waits for a row that
\* is locked; where it finds none, all that the handler wrote is rolled back.
Delete(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase = (IF AckWithEffect THEN "handling" ELSE "apart")
  /\ ~Locked(c.message)
  /\ IF Fence(c) THEN Becomes(w, c, "deleted") ELSE Leaves(w, c)
  /\ UNCHANGED <<database, process, seen, history, faults>>

AckIsCommitted(c) ==
  /\ queue' = [queue EXCEPT ![c.message] = NoRow]
  /\ history' = [Ending(c) EXCEPT
       !.acked = @ \cup {c.message},
       !.effects[c.message] = IF AckWithEffect THEN @ + 1 ELSE @]

\* A COMMIT that gets no answer has happened, or was rolled back, and the
\* worker does not know which.
Commit(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase = "deleted"
  /\ \/ NoFault /\ AckIsCommitted(c) /\ Leaves(w, c)
     \/ Fault /\ AckIsCommitted(c) /\ Becomes(w, c, "unknown")
     \/ Fault /\ Becomes(w, c, "unknown") /\ UNCHANGED <<queue, history>>
  /\ UNCHANGED <<deadLetter, registry, process, seen>>

\* It threw, ran too long, or was undone by the server: rolled back.
Fail(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase = "handling"
  /\ Becomes(w, c, "failed")
  /\ history' = [history EXCEPT !.failures[c.message] = @ + 1]
  /\ UNCHANGED <<database, process, seen, faults>>

\* It asks for its message to be given back: rolled back, too.
AskForRelease(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase = "handling"
  /\ Fault
  /\ Becomes(w, c, "releasing")
  /\ UNCHANGED <<database, process, seen, history>>

-----------------------------------------------------------------------------
(* Out: retry, dead-letter, release, hand-back.  Each is a transaction of   *)
(* its own behind the fence, and is run again when its COMMIT got no        *)
(* answer: the fence then finds no row, or it would count twice.            *)

Settle(w, c, row, dead) ==
  /\ Runs(w) /\ ~Locked(c.message)
  /\ IF Fence(c)
     THEN /\ queue' = [queue EXCEPT ![c.message] = row]
          /\ deadLetter' = [deadLetter EXCEPT ![c.message] = dead]
          /\ history' = Ending(c)
          /\ DoneIfAnswered(w, c)
     ELSE Leaves(w, c) /\ NoFault /\ UNCHANGED <<queue, deadLetter, history>>
  /\ UNCHANGED <<registry, process, seen>>

Freed(m, state) == [queue[m] EXCEPT !.state = state, !.lockId = Nobody]
OneMoreAttempt(m) == [Freed(m, "scheduled") EXCEPT !.attempts = @ + 1]
IsLastAttempt(m) == queue[m].attempts + 1 >= MaxAttempts
SetAside(row, why) ==
  [state |-> why, claims |-> row.claims, attempts |-> row.attempts, lost |-> row.lost]

Retry(w) == \E c \in inFlight[w] :
  /\ c.phase = "failed" /\ (Fence(c) => ~IsLastAttempt(c.message))
  /\ Settle(w, c, OneMoreAttempt(c.message), NoRow)

DeadLetter(w) == \E c \in inFlight[w] :
  /\ c.phase = "failed" /\ Fence(c) /\ IsLastAttempt(c.message)
  /\ Settle(w, c, NoRow, SetAside(OneMoreAttempt(c.message), "failed"))

\* For a handler that asks, and after a COMMIT of unknown outcome: the fence
\* tells whether it had happened.
Release(w) == \E c \in inFlight[w] :
  /\ c.phase \in {"releasing", "unknown"}
  /\ Settle(w, c, Freed(c.message, "scheduled"), NoRow)

\* What waits too long for a thread is taken from those who would start it,
\* and given back for others.
TakeBack(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase = "waiting"
  /\ Fault
  /\ Becomes(w, c, "returning")
  /\ UNCHANGED <<database, process, seen, history>>

HandBack(w) == \E c \in inFlight[w] :
  /\ c.phase = "returning"
  /\ Settle(w, c, Freed(c.message, "available"), NoRow)

\* A dispatch that throws, or a settlement that still fails after every
\* repetition: the claim leaves the table, and its row stays.
GiveUp(w) == \E c \in inFlight[w] :
  /\ Runs(w) /\ c.phase \in {"waiting", "returning", "failed", "releasing", "unknown"}
  /\ Fault
  /\ Leaves(w, c)
  /\ UNCHANGED <<database, process, seen, history>>

\* The worker releases what the database says it holds and its table lacks,
\* on the thread that claims: no claim is half-way into the table meanwhile.
Reconcile(w, m) ==
  /\ ClaimsAreReconciled
  /\ Runs(w) /\ Present(m) /\ Claimed(m) /\ ~Locked(m)
  /\ queue[m].lockId = LockIdOf(w) /\ RowKey(m) \notin Known(w)
  /\ queue' = [queue EXCEPT ![m] = Freed(m, "available")]
  /\ UNCHANGED <<deadLetter, registry, memory, history, faults>>

-----------------------------------------------------------------------------
(* A worker's life: register, renew, and what ends it *)

\* The next life begins under a lock_id that nobody ever had.
BeginsAnew(w) ==
  /\ process[w].life + 1 \in Lives
  /\ process' = [process EXCEPT ![w] =
       [is |-> "running", life |-> process[w].life + 1, slept |-> FALSE]]
  /\ registry' = [registry EXCEPT ![<<w, process[w].life + 1>>] = "fresh"]

\* After a crash somebody starts it again.
Register(w) ==
  /\ process[w].is = "crashed"
  /\ BeginsAnew(w)
  /\ UNCHANGED <<queue, deadLetter, inFlight, seen, history, faults>>

\* The renewals of a worker that runs are part of time passing (LeaseRunsOut);
\* this is the first one after it slept.  Nobody has read the value that then
\* stands in its row.
Renew(w) ==
  LET l == LockIdOf(w) IN
  /\ Runs(w) /\ Alive(l)
  /\ process[w].slept \/ ~DatabaseClock
  /\ \E lease \in (IF DatabaseClock THEN {"fresh"} ELSE {"fresh", "overdue"}) :
       registry' = [registry EXCEPT ![l] = lease]
  /\ seen' = IF DeathIsGuarded THEN [seen EXCEPT !.expired = @ \ {l}] ELSE seen
  /\ process' = [process EXCEPT ![w].slept = FALSE]
  /\ UNCHANGED <<queue, deadLetter, inFlight, history, faults>>

\* The renewal that finds no row: I am dead.  What waits is dropped; handlers
\* that run go on, and the fence tells them.
ComeBack(w) ==
  /\ Runs(w) /\ ~Alive(LockIdOf(w))
  /\ BeginsAnew(w)
  /\ inFlight' = [inFlight EXCEPT ![w] = {c \in @ : c.phase # "waiting"}]
  /\ UNCHANGED <<queue, deadLetter, seen, history, faults>>

\* SIGKILL.  Its memory is gone, and the server rolls back what was open.
Crash(w) ==
  /\ process[w].is # "crashed"
  /\ Fault
  /\ process' = [process EXCEPT ![w].is = "crashed", ![w].slept = FALSE]
  /\ inFlight' = [inFlight EXCEPT ![w] = {}]
  /\ UNCHANGED <<database, seen, history>>

\* SIGSTOP, a network that is cut, a machine that stands still: nothing of the
\* worker moves, its renewals included, and the server keeps what it holds.
Pause(w) ==
  /\ Runs(w)
  /\ Fault
  /\ process' = [process EXCEPT ![w].is = "paused", ![w].slept = TRUE]
  /\ UNCHANGED <<database, inFlight, seen, history>>

Resume(w) ==
  /\ process[w].is = "paused"
  /\ process' = [process EXCEPT ![w].is = "running"]
  /\ UNCHANGED <<database, inFlight, seen, history, faults>>

\* Time passes, by the database's clock.  Who runs renews three times a lease,
\* so that only the lease of one that does not run can run out.
LeaseRunsOut(l) ==
  /\ registry[l] = "fresh"
  /\ ~(Runs(l[1]) /\ LockIdOf(l[1]) = l)
  /\ registry' = [registry EXCEPT ![l] = "overdue"]
  /\ UNCHANGED <<queue, deadLetter, memory, history, faults>>

-----------------------------------------------------------------------------
(* What the dead held: declare-dead, reap.  Any worker does it, several at  *)
(* once; each looks first, and acts on what it saw at any time later.       *)

SeeExpired(l) ==
  /\ SomebodyRuns
  /\ registry[l] = "overdue" /\ l \notin seen.expired
  /\ seen' = [seen EXCEPT !.expired = @ \cup {l}]
  /\ UNCHANGED <<database, process, inFlight, history, faults>>

\* Guarded by the lease as it was read: Renew takes from seen.expired.  Whether
\* the dead row still stands later makes no difference to anybody, since what
\* reap asks for is a row that is alive; so nothing here removes it.
DeclareDead(l) ==
  /\ SomebodyRuns
  /\ Alive(l) /\ l \in seen.expired
  /\ registry' = [registry EXCEPT ![l] = "dead"]
  /\ seen' = [seen EXCEPT !.expired = @ \ {l}]
  /\ UNCHANGED <<queue, deadLetter, process, inFlight, history, faults>>

SeeOrphan(m) ==
  /\ SomebodyRuns
  /\ Present(m) /\ Claimed(m) /\ RowKey(m) \notin seen.orphans
  /\ ~Alive(queue[m].lockId) \/ (~DeathBeforeReap /\ registry[queue[m].lockId] = "overdue")
  /\ seen' = [seen EXCEPT !.orphans = @ \cup {RowKey(m)}]
  /\ UNCHANGED <<database, process, inFlight, history, faults>>

\* The first loss always counts, a later one only if the handling had begun:
\* a message that kills its worker must not take its neighbours along.
LostNow(m) ==
  IF queue[m].lost = 0 \/ queue[m].started \/ ~SuspectsAreMarked
  THEN queue[m].lost + 1 ELSE queue[m].lost

Reaping(m) ==
  [history EXCEPT
    !.losses[m] = @ + 1,
    !.markedLosses[m] = IF RowKey(m) \in history.marked THEN @ + 1 ELSE @,
    !.robbed = IF Alive(queue[m].lockId) THEN @ \cup {RowKey(m)} ELSE @]

Reap(m) == \E key \in {k \in seen.orphans : k.message = m} :
  LET freed == [Freed(m, "available") EXCEPT !.lost = LostNow(m)] IN
  /\ SomebodyRuns
  /\ Present(m) /\ Claimed(m) /\ ~Locked(m)
  /\ ReapLooksAgain => RowKey(m) = key
  /\ IF LostNow(m) >= MaxLost
     THEN /\ queue' = [queue EXCEPT ![m] = NoRow]
          /\ deadLetter' = [deadLetter EXCEPT ![m] = SetAside(freed, "lost")]
     ELSE queue' = [queue EXCEPT ![m] = freed] /\ UNCHANGED deadLetter
  /\ seen' = [seen EXCEPT !.orphans = @ \ {key}]
  /\ history' = Reaping(m)
  /\ UNCHANGED <<registry, process, inFlight, faults>>

-----------------------------------------------------------------------------
(* An operator redrives a dead letter.  The claim number stays, so that no  *)
(* earlier claim can be taken for a later one; the counts begin anew.       *)

Redrive(m) ==
  /\ IsDeadLetter(m)
  /\ Fault
  /\ queue' = [queue EXCEPT ![m] =
       [state |-> "available", lockId |-> Nobody,
        claims |-> IF RedriveKeepsNumber THEN deadLetter[m].claims ELSE 0,
        attempts |-> 0, lost |-> 0, started |-> FALSE]]
  /\ deadLetter' = [deadLetter EXCEPT ![m] = NoRow]
  /\ history' = [history EXCEPT !.failures[m] = 0, !.losses[m] = 0, !.markedLosses[m] = 0]
  /\ UNCHANGED <<registry, memory>>

-----------------------------------------------------------------------------
\* What is done whenever it can be done.
Progress ==
  \/ \E m \in Messages : Promote(m) \/ SeeOrphan(m) \/ Reap(m)
  \/ \E w \in Workers, m \in Messages : Claim(w, m) \/ Reconcile(w, m)
  \/ \E w \in Workers :
       \/ Start(w) \/ Handle(w) \/ CommitApart(w) \/ Delete(w) \/ Commit(w) \/ Fail(w)
       \/ Retry(w) \/ DeadLetter(w) \/ Release(w) \/ HandBack(w)
       \/ Register(w) \/ Renew(w) \/ ComeBack(w) \/ Resume(w)
  \/ \E l \in LockIds : LeaseRunsOut(l) \/ SeeExpired(l) \/ DeclareDead(l)

\* What comes from outside, or goes wrong; a fault each.
Mishap ==
  \/ \E w \in Workers :
       Crash(w) \/ Pause(w) \/ AskForRelease(w) \/ TakeBack(w) \/ GiveUp(w)
  \/ \E m \in Messages : Redrive(m)

Next == Progress \/ Mishap \/ \E m \in Messages : Enqueue(m)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold in every state *)

ClaimKeys == [message : Messages, lockId : LockIds, number : Nat]
Phases == {"waiting", "returning", "started", "handling", "apart", "deleted", "failed",
           "releasing", "unknown"}
Rows == [state : {"available", "scheduled", "claimed"}, lockId : LockIds \cup {Nobody},
         claims : Nat, attempts : 0..MaxAttempts, lost : 0..MaxLost, started : BOOLEAN]
DeadLetters == [state : {"failed", "lost"}, claims : Nat, attempts : 0..MaxAttempts,
                lost : 0..MaxLost]
KnownClaims == UNION {inFlight[w] : w \in Workers}

TypeOK ==
  /\ \A m \in Messages : queue[m] \in Rows \cup {NoRow}
  /\ \A m \in Messages : deadLetter[m] \in DeadLetters \cup {NoRow}
  /\ \A l \in LockIds : registry[l] \in {"none", "fresh", "overdue", "dead"}
  /\ \A w \in Workers : process[w] \in
       [is : {"running", "paused", "crashed"}, life : Lives, slept : BOOLEAN]
  /\ \A c \in KnownClaims : KeyOf(c) \in ClaimKeys /\ c.suspect \in BOOLEAN /\ c.phase \in Phases
  /\ seen.expired \subseteq LockIds
  /\ \A k \in seen.orphans : k \in ClaimKeys
  /\ faults \in 0..Faults

\* Nothing is lost: what was committed is in exactly one place.
OnePlace ==
  \A m \in history.enqueued :
    \/ Present(m) /\ ~IsDeadLetter(m) /\ m \notin history.acked
    \/ ~Present(m) /\ IsDeadLetter(m) /\ m \notin history.acked
    \/ ~Present(m) /\ ~IsDeadLetter(m) /\ m \in history.acked

\* state and lock_id of a row say the same.
ClaimedMeansHeld ==
  \A m \in Messages : Present(m) => (Claimed(m) <=> queue[m].lockId # Nobody)

\* A transactional effect happens exactly once if its message is acked, and
\* not at all if it is not.
EffectIffAcked ==
  \A m \in Messages : history.effects[m] = IF m \in history.acked THEN 1 ELSE 0

\* The weaker half, for the mutation that commits them apart.
EffectAtMostOnce == \A m \in Messages : history.effects[m] <= 1

\* Of all claims of a message that anybody still knows, the fence lets one pass.
OneClaimPasses ==
  \A c, d \in KnownClaims :
    c.message = d.message /\ Fence(c) /\ Fence(d) => KeyOf(c) = KeyOf(d)

\* No claim is given twice, not even to the same worker.
ClaimsAreGivenOnce == \A c, d \in KnownClaims : KeyOf(c) = KeyOf(d) => c = d

\* Nobody but its owner settles a claim.
OnlyItsOwnerSettles == history.intruders = {}

\* What a worker that was declared dead writes for a claim that it lost changes
\* nothing.
TheDeadChangeNothing == \A i \in history.intruders : ~i.dead

Attempts(m) == IF Present(m) THEN queue[m].attempts ELSE deadLetter[m].attempts
Lost(m) == IF Present(m) THEN queue[m].lost ELSE deadLetter[m].lost

\* An attempt counts only if a handler ran and failed, and counts once.
AttemptsAreFailures ==
  \A m \in Messages : Present(m) \/ IsDeadLetter(m) => Attempts(m) <= history.failures[m]

\* No suspect is handled unmarked, as long as its claim holds.
SuspectsRunMarked ==
  \A c \in KnownClaims :
    c.suspect /\ c.phase \in {"handling", "deleted"} /\ Present(c.message)
      /\ RowKey(c.message) = KeyOf(c) => queue[c.message].started

\* The first loss counts, and of the later ones those of a handling that had
\* begun, so that nothing is quarantined that was only a killer's neighbour.
LostAsDocumented ==
  \A m \in Messages : Present(m) \/ IsDeadLetter(m) =>
    Lost(m) = IF history.losses[m] = 0 THEN 0 ELSE 1 + history.markedLosses[m]

\* Claims are reaped from the dead only.
TheLivingAreNotReaped == history.robbed = {}

\* Who runs, and has renewed since it last slept, is alive by its row.
NoFalseDeath ==
  \A w \in Workers : Runs(w) /\ ~process[w].slept => Alive(LockIdOf(w))

-----------------------------------------------------------------------------
(* What must happen in the end.  Faults end, since there are only so many.  *)
(* The fairness asked for is small: as long as something can be done,       *)
(* something is done.                                                       *)

FairSpec == Spec /\ WF_vars(Progress)

EverythingIsSettled ==
  \A m \in Messages : m \in history.enqueued ~> (m \in history.acked \/ IsDeadLetter(m))

-----------------------------------------------------------------------------
\* Messages are alike, and so are workers.  Not for liveness: TLC forbids it.
Alike == Permutations(Messages) \cup Permutations(Workers)
=============================================================================
