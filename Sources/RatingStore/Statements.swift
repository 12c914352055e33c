/// Every statement of the store, compiled once a connection.
final class Statements {
    let begin: Statement
    let commit: Statement
    let rollback: Statement
    let keepReading: Statement

    let findApp: Statement
    let readApp: Statement
    let listApps: Statement
    let countApps: Statement
    let insertApp: Statement
    let updateCounters: Statement
    let updateSettings: Statement
    let deleteApp: Statement

    let readGrants: Statement
    let listGrants: Statement
    let findToken: Statement
    let countAppGrants: Statement
    let countUserGrants: Statement
    let insertGrant: Statement
    let updateGrant: Statement
    let deleteGrant: Statement

    let readUser: Statement
    let readUserGrants: Statement
    let writeUser: Statement

    let readTally: Statement
    let writeSheet: Statement
    let clearTally: Statement
    let readEvents: Statement
    let updateEvents: Statement

    let addFunnel: Statement
    let deleteFunnel: Statement
    let deleteOldFunnel: Statement
    let readAppFunnel: Statement
    let readUserFunnel: Statement

    init(_ connection: borrowing Connection) throws(StoreFailure) {
        begin = try Statement(connection, .begin)
        commit = try Statement(connection, .commit)
        rollback = try Statement(connection, .rollback)
        keepReading = try Statement(connection, .keepReading)

        findApp = try Statement(connection, .findApp)
        readApp = try Statement(connection, .readApp)
        listApps = try Statement(connection, .listApps)
        countApps = try Statement(connection, .countApps)
        insertApp = try Statement(connection, .insertApp)
        updateCounters = try Statement(connection, .updateCounters)
        updateSettings = try Statement(connection, .updateSettings)
        deleteApp = try Statement(connection, .deleteApp)

        readGrants = try Statement(connection, .readGrants)
        listGrants = try Statement(connection, .listGrants)
        findToken = try Statement(connection, .findToken)
        countAppGrants = try Statement(connection, .countAppGrants)
        countUserGrants = try Statement(connection, .countUserGrants)
        insertGrant = try Statement(connection, .insertGrant)
        updateGrant = try Statement(connection, .updateGrant)
        deleteGrant = try Statement(connection, .deleteGrant)

        readUser = try Statement(connection, .readUser)
        readUserGrants = try Statement(connection, .readUserGrants)
        writeUser = try Statement(connection, .writeUser)

        readTally = try Statement(connection, .readTally)
        writeSheet = try Statement(connection, .writeSheet)
        clearTally = try Statement(connection, .clearTally)
        readEvents = try Statement(connection, .readEvents)
        updateEvents = try Statement(connection, .updateEvents)

        addFunnel = try Statement(connection, .addFunnel)
        deleteFunnel = try Statement(connection, .deleteFunnel)
        deleteOldFunnel = try Statement(connection, .deleteOldFunnel)
        readAppFunnel = try Statement(connection, .readAppFunnel)
        readUserFunnel = try Statement(connection, .readUserFunnel)
    }
}
