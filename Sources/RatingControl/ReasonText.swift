/// Names of the protocol in words that a person understands.
enum ReasonText {
    /// Why a rule does not hold.
    static func rule(_ name: String) -> String {
        switch name {
        case "disabled": "prompts are switched off in the configuration"
        case "opted_out": "the user does not want to be asked"
        case "outstanding": "a prompt is out, and what became of it was not reported yet"
        case "sessions": "the app was not started often enough"
        case "events": "too few significant events"
        case "days": "the app has not been in use long enough"
        case "version": "there was a prompt for this version already"
        case "interval": "the last prompt of this app was not long enough ago"
        case "annual_cap": "the prompts that this app may show in a year are used up"
        case "user_interval": "the last prompt of any app was not long enough ago"
        case "user_cap": "the prompts that all apps may show in a year are used up"
        case "later": "the user said 'later' or closed the prompt not long enough ago"
        case "declined": "the user declined not long enough ago"
        case "rated": "the user has rated this version, or did so not long enough ago"
        case "no_agent": "there is no desktop agent to show the prompt"
        default:
            name.hasPrefix("event:") ? "too few events of this name" : "a rule not known here"
        }
    }

    /// Why a pending request ended without a prompt.
    static func cancellation(_ name: String) -> String {
        switch name {
        case "activity": "the user was busy"
        case "superseded": "a newer request took its place"
        case "cancelled": "it was taken back"
        case "disconnected": "who asked went away"
        case "ineligible": "a rule does not hold any more"
        case "declined_by_app": "the answer to the confirmation was no"
        case "confirm_timeout": "the confirmation was not answered in time"
        case "stale": "its time passed while the machine slept, or it was put off for too long"
        case "no_agent": "there is no desktop agent to show the prompt"
        case "storage_unavailable": "the daemon cannot use its state"
        case "shutting_down": "the daemon is stopping"
        default: "a reason not known here"
        }
    }

    /// Why the daemon ends a connection.
    static func farewell(_ name: String) -> String {
        switch name {
        case "shutting_down": "it is stopping"
        case "idle": "it was idle"
        case "quota_exceeded": "there are too many connections"
        default: safe(name)
        }
    }
}
