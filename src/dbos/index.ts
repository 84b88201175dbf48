// lastcall/dbos: a host on DBOS, for runs that many machines work on.
