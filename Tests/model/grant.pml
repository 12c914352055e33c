/* How a grant is made: two requesters of one app, a daemon, a disk, kills, power cuts, failing syncs.
 *
 * The daemon's order is: all rules, write the grant, sync it, tell the prompt; a restart tells nothing
 * of what was before it. With one of the names below defined the order is a wrong one, and then one of
 * the promises has to break:
 *
 *   TELL_THEN_WRITE    the prompt leaves before its grant is written
 *   TELL_THEN_SYNC     the prompt leaves when its grant is written, before the sync
 *   CHECK_WHEN_ASKED   the cap is looked at when somebody asks, not again before the grant
 *   TELL_AT_RESTART    a restart tells the prompt of every grant that has no outcome
 *   SYNC_AGAIN         a sync that failed is tried again, and its success is believed
 *
 * Nothing ages here: all is within one window, so at most CAP prompts may ever be shown.
 */

#define CAP 2
#define REQUESTERS 2
#define GRANTS 4    /* tokens; more than CAP, so that the cap can be broken */
#define REQUESTS 4
#define FAULTS 3    /* kills, power cuts and failing syncs, all together */

/* Where a row of the ledger is. A row of a sync that failed is still read, but its pages count as
 * clean: no later sync writes them. */
#define NOWHERE 0
#define WRITTEN 1
#define CLEAN 2
#define SYNCED 3

byte row[GRANTS];    /* the disk: survives a kill; a power cut takes what is not synced */
byte shown[GRANTS];  /* the persons' screens: how often each grant's prompt was shown */
byte shownInAll;
byte tokens;         /* random in truth: never given twice, whatever is lost */

chan asked = [REQUESTERS] of { byte };
byte requests, faults;
bool isUp = true;

/* Memory of the daemon: gone with it. */
bool isPending[REQUESTERS];
byte granted;        /* of the ledger as this life knows it */

inline tell(token) {
    shown[token]++;
    shownInAll++;
}

inline countLedger() {
    granted = 0;
    for (index : 0 .. GRANTS - 1) {
        if
        :: row[index] != NOWHERE -> granted++
        :: else
        fi
    }
}

/* One requester: asks, and asks again, whatever it was told. */
active [REQUESTERS] proctype Requester() {
    byte me = _pid;
    do
    :: atomic {
        requests < REQUESTS && isUp && nfull(asked) -> requests++;
        asked ! me
    }
    :: requests == REQUESTS -> break
    od
}

/* One life of the daemon after another. Each step is one effect; it may die before any of them. */
active proctype Daemon() {
    byte index, token, who;
    bool isWell;

start:
    atomic {
        countLedger();
        for (index : 0 .. REQUESTERS - 1) { isPending[index] = false }
        index = 0; token = 0; who = 0; isWell = false
    }
#ifdef TELL_AT_RESTART
    do
    :: atomic { !isUp -> goto died }
    :: atomic {
        isUp && index < GRANTS ->
        if
        :: row[index] != NOWHERE -> tell(index)
        :: else
        fi;
        index++
    }
    :: isUp && index == GRANTS -> break
    od;
#endif
    do
    :: atomic { !isUp -> goto died }

    /* A request: refused, or pending. A newer one takes the place of an older one. */
    :: atomic {
        isUp && asked ? [who] -> asked ? who;
        if
        :: granted < CAP ->
#ifndef CHECK_WHEN_ASKED
            for (index : 0 .. REQUESTERS - 1) { isPending[index] = false }
#endif
            isPending[who] = true
        :: else
        fi
    }

    /* Its quiet time is over: all rules again, then the grant. */
    :: atomic {
        isUp && tokens < GRANTS && (isPending[0] || isPending[1]) ->
        if
        :: isPending[0] -> who = 0
        :: isPending[1] -> who = 1
        fi;
        isPending[who] = false;
#ifndef CHECK_WHEN_ASKED
        if
        :: granted >= CAP -> goto next
        :: else
        fi;
#endif
        token = tokens;
        tokens++
    }
#ifdef TELL_THEN_WRITE
    atomic { if :: isUp -> tell(token) :: else -> goto died fi }
#endif
    atomic { if :: isUp -> row[token] = WRITTEN; granted++ :: else -> goto died fi }
#ifdef TELL_THEN_SYNC
    atomic { if :: isUp -> tell(token) :: else -> goto died fi }
#endif
sync:
    atomic {
        if
        :: !isUp -> goto died
        :: isUp -> isWell = true;
            if
            :: row[token] == WRITTEN -> row[token] = SYNCED
            :: else
            fi
        :: isUp && faults < FAULTS -> faults++; isWell = false;
            if
            :: row[token] == WRITTEN -> row[token] = CLEAN
            :: else
            fi
        fi
    }
#ifdef SYNC_AGAIN
    if
    :: isWell
    :: !isWell -> goto sync
    fi;
#else
    /* Nobody knows what is on the disk: it is taken back, or counts; nothing is told of it. */
    atomic {
        if
        :: isUp && !isWell -> row[token] = NOWHERE; granted--; goto next
        :: isUp && !isWell -> row[token] = WRITTEN; goto next
        :: !isUp -> goto died
        :: isUp && isWell
        fi
    }
#endif
#if !defined(TELL_THEN_WRITE) && !defined(TELL_THEN_SYNC)
    atomic { if :: isUp -> tell(token) :: else -> goto died fi }
#endif
next:
    skip
    od;
died:
    isUp = true;
    goto start
}

/* Kills and power cuts. */
active proctype World() {
    byte index;
    do
    :: atomic { isUp && faults < FAULTS -> faults++; isUp = false }
    :: atomic {
        isUp && faults < FAULTS -> faults++; isUp = false;
        for (index : 0 .. GRANTS - 1) {
            if
            :: row[index] == WRITTEN -> row[index] = SYNCED
            :: row[index] == WRITTEN || row[index] == CLEAN -> row[index] = NOWHERE
            :: row[index] == NOWHERE || row[index] == SYNCED
            fi
        }
    }
    :: faults == FAULTS -> break
    od
}

#define atMostOnce (shown[0] <= 1 && shown[1] <= 1 && shown[2] <= 1 && shown[3] <= 1)
#define shownIsKept (row[0] >= shown[0] && row[1] >= shown[1] && row[2] >= shown[2] \
    && row[3] >= shown[3])

ltl promises { [] (shownInAll <= CAP && atMostOnce && shownIsKept) }

/* Not a promise: that this fails shows that the model does prompt, up to the cap. */
ltl neverAtCap { [] (shownInAll < CAP) }
