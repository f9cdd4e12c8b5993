---------------------------- MODULE LivenessLock ----------------------------
(***************************************************************************)
(* How peers see within a second that a worker's process is gone, and why  *)
(* they never take a living one for dead.                                  *)
(*                                                                         *)
(* Each worker holds a lock in the server, named like itself, on a         *)
(* connection of its own.  The server frees it when the connection ends.   *)
(* But a restart of the server, or a fail-over to another, ends every      *)
(* connection at once, and a connection may break while its worker lives.  *)
(* So a free lock proves a death only if the worker's row names this run   *)
(* of this server, if two looks half a second apart find the lock free,    *)
(* and if the lease has not moved since the first.                         *)
(*                                                                         *)
(* What is assumed of time: a worker that runs, and whose connection broke *)
(* while the server ran on, takes its lock again and says so within half a *)
(* second (it looks every 150 ms).  How long it takes to come back to a    *)
(* restarted server is left open.  A lock says nothing about messages;     *)
(* what a death means for them stands in RowQueue.tla.                     *)
(***************************************************************************)
EXTENDS Naturals, TLC

CONSTANTS
  Workers,
  Faults  \* how many connections break, processes end or stall, servers restart

(* Each of these holds in RowQueue; SpecificationTest switches them off.   *)
CONSTANTS
  LockBeforeRow,   \* a worker takes its lock before its row names the server
  SecondLook,      \* one look at a free lock proves nothing
  ServerIdentity,  \* the row must name this run of this server
  TellMovesLease,  \* who takes its lock again moves its lease with it
  DeathIsGuarded   \* declare-dead says lease_until = as it was read

VARIABLES
  run,      \* which run of which server answers
  process,  \* running, stalled, or gone
  slept,    \* whether it stalled since it last wrote its row
  lock,     \* the run in which it last took its lock; 0 when it was refused
  held,     \* the workers whose lock's connection stands
  row,      \* its row: alive or dead, and the run that it names; 0 is none
  untold,   \* its lock broke, and its row does not know yet
  look,     \* how often, at most, a peer has found its lock free at this lease
  faults

mine == <<process, slept>>
vars == <<run, mine, lock, held, row, untold, look, faults>>

Runs == 1..(Faults + 1)
Running(w) == process[w] = "running"
Alive(w) == row[w].is = "alive"

\* Free, as far as it counts.
IsFree(w) ==
  /\ Alive(w) /\ w \notin held
  /\ row[w].names # 0 /\ (ServerIdentity => row[w].names = run)

Fault == faults > 0 /\ faults' = faults - 1

\* Nobody has looked at the lease that stands there now.
LeaseMoves(w) ==
  look' = [look EXCEPT ![w] = IF ~DeathIsGuarded /\ @ = "twice" THEN @ ELSE "none"]

Init ==
  /\ run = 1
  /\ process = [w \in Workers |-> "running"]
  /\ slept = [w \in Workers |-> FALSE]
  /\ lock = [w \in Workers |-> 0]
  /\ held = {}
  /\ row = [w \in Workers |-> [is |-> "none", names |-> 0]]
  /\ untold = [w \in Workers |-> FALSE]
  /\ look = [w \in Workers |-> "none"]
  /\ faults = Faults

-----------------------------------------------------------------------------
(* What a worker does *)

\* At birth, and again whenever its connection broke.
Take(w) ==
  /\ Running(w) /\ row[w].is # "dead" /\ w \notin held
  /\ lock' = [lock EXCEPT ![w] = run]
  /\ held' = held \cup {w}
  /\ UNCHANGED <<run, mine, row, untold, look, faults>>

\* No connection is to be had, or the server has not yet noticed the end of
\* the last one: the row will name no server, and only the lease counts.
IsRefused(w) ==
  /\ Running(w) /\ row[w].is # "dead" /\ w \notin held
  /\ lock[w] # 0
  /\ lock' = [lock EXCEPT ![w] = 0]
  /\ UNCHANGED <<run, mine, held, row, untold, look, faults>>

Register(w) ==
  /\ Running(w) /\ row[w].is = "none"
  /\ row' = [row EXCEPT ![w] =
       [is |-> "alive", names |-> IF LockBeforeRow THEN lock[w] ELSE run]]
  /\ UNCHANGED <<run, mine, lock, held, untold, look, faults>>

\* Every third of a lease: the row names what it named before.
Renew(w) ==
  /\ Running(w) /\ Alive(w)
  /\ slept[w] \/ look[w] # "none"
  /\ LeaseMoves(w)
  /\ slept' = [slept EXCEPT ![w] = FALSE]
  /\ UNCHANGED <<run, process, lock, held, row, untold, faults>>

\* After a break: where the lock is now, or that there is none.
Tell(w) ==
  /\ Running(w) /\ Alive(w)
  /\ w \in held \/ lock[w] = 0
  /\ untold[w] \/ row[w].names # lock[w]
  /\ row' = [row EXCEPT ![w].names = lock[w]]
  /\ untold' = [untold EXCEPT ![w] = FALSE]
  /\ IF TellMovesLease THEN LeaseMoves(w) ELSE UNCHANGED look
  /\ slept' = [slept EXCEPT ![w] = FALSE]
  /\ UNCHANGED <<run, process, lock, held, faults>>

-----------------------------------------------------------------------------
(* What happens to it *)

Break(w) ==
  /\ w \in held
  /\ Fault
  /\ held' = held \ {w}
  /\ untold' = [untold EXCEPT ![w] = TRUE]
  /\ UNCHANGED <<run, mine, lock, row, look>>

\* It does not react for half a second or more.
Stall(w) ==
  /\ Running(w)
  /\ Fault
  /\ process' = [process EXCEPT ![w] = "stalled"]
  /\ slept' = [slept EXCEPT ![w] = TRUE]
  /\ UNCHANGED <<run, lock, held, row, untold, look>>

Wake(w) ==
  /\ process[w] = "stalled"
  /\ process' = [process EXCEPT ![w] = "running"]
  /\ UNCHANGED <<run, slept, lock, held, row, untold, look, faults>>

Die(w) ==
  /\ process[w] # "gone"
  /\ Fault
  /\ process' = [process EXCEPT ![w] = "gone"]
  /\ held' = held \ {w}
  /\ UNCHANGED <<run, slept, lock, row, untold, look>>

\* A restart, or another server takes over: no lock is held any more.
Restart ==
  /\ Fault
  /\ run' = run + 1
  /\ held' = {}
  /\ UNCHANGED <<mine, lock, row, untold, look>>

-----------------------------------------------------------------------------
(* What its peers do.  A look counts for the lease that it was taken at.    *)

FirstLook(w) ==
  /\ look[w] = "none" /\ IsFree(w)
  /\ look' = [look EXCEPT ![w] = "once"]
  /\ UNCHANGED <<run, mine, lock, held, row, untold, faults>>

\* The assumption about time: nobody that could say so is late with it.
IsLate(w) == Running(w) /\ Alive(w) /\ row[w].names = run /\ untold[w]

HalfASecond ==
  /\ \E w \in Workers : look[w] = "once"
  /\ \A w \in Workers : ~IsLate(w)
  /\ look' = [w \in Workers |-> IF look[w] = "once" THEN "long ago" ELSE look[w]]
  /\ UNCHANGED <<run, mine, lock, held, row, untold, faults>>

LookAgain(w) ==
  /\ look[w] = "long ago" /\ IsFree(w)
  /\ look' = [look EXCEPT ![w] = "twice"]
  /\ UNCHANGED <<run, mine, lock, held, row, untold, faults>>

\* At any time later; the guard is that the lease has not moved.
DeclareDead(w) ==
  /\ Alive(w)
  /\ look[w] = (IF SecondLook THEN "twice" ELSE "once")
  /\ row' = [row EXCEPT ![w].is = "dead"]
  /\ UNCHANGED <<run, mine, lock, held, untold, look, faults>>

-----------------------------------------------------------------------------
Next ==
  \/ Restart
  \/ HalfASecond
  \/ \E w \in Workers :
       \/ Take(w) \/ IsRefused(w) \/ Register(w) \/ Renew(w) \/ Tell(w)
       \/ Break(w) \/ Stall(w) \/ Wake(w) \/ Die(w)
       \/ FirstLook(w) \/ LookAgain(w) \/ DeclareDead(w)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
TypeOK ==
  /\ run \in Runs
  /\ process \in [Workers -> {"running", "stalled", "gone"}]
  /\ slept \in [Workers -> BOOLEAN]
  /\ lock \in [Workers -> Runs \cup {0}]
  /\ held \subseteq Workers
  /\ row \in [Workers -> [is : {"none", "alive", "dead"}, names : Runs \cup {0}]]
  /\ untold \in [Workers -> BOOLEAN]
  /\ look \in [Workers -> {"none", "once", "long ago", "twice"}]
  /\ faults \in 0..Faults

\* Who runs, and has written its row since it last stalled, is not dead.
NoFalseDeath == \A w \in Workers : Running(w) /\ ~slept[w] => row[w].is # "dead"

Alike == Permutations(Workers)
=============================================================================
