/* Generated from the OpenAPI document by `make client`; not to be edited. */
export interface paths {
    "/api/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The apps you may see, by slug
         * @description Needs to be signed in.
         */
        get: operations["list_apps"];
        put?: never;
        /**
         * Register an app; it starts with an empty table
         * @description Needs site staff.
         */
        post: operations["create_app"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One app
         * @description Needs a role in the app.
         */
        get: operations["get_app"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an app's name, interval or limit of enrolments
         * @description Fields that are left out stay. The app's table is published again, as the interval travels in it.
         *
         *     Needs `manage keys` in the app.
         */
        patch: operations["change_app"];
        trace?: never;
    };
    "/api/v1/apps/{app}/bases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the app's devices pull from, by region
         * @description Needs a role in the app.
         */
        get: operations["list_app_bases"];
        put?: never;
        /**
         * Set where devices of one region pull from; replaces what was set for it before
         * @description Needs `manage keys` in the app.
         */
        post: operations["set_app_base"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/facts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The facts that the app declares, beside those that every device has; the last declared first
         * @description Needs a role in the app.
         */
        get: operations["list_facts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/facts/{fact}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Declare a fact, so that targeting rules may ask for it
         * @description Replaces what was declared of it before. Its type cannot change while a release asks for it.
         *
         *     Needs `manage keys` in the app.
         */
        put: operations["declare_fact"];
        post?: never;
        /**
         * Withdraw a declaration; refused while a release asks for the fact
         * @description Needs `manage keys` in the app.
         */
        delete: operations["withdraw_fact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The app's keys, newest first, revoked ones included, without their texts
         * @description Needs a role in the app.
         */
        get: operations["list_app_keys"];
        put?: never;
        /**
         * Make an enrol or gateway key, or register a backend key
         * @description The text of an enrol or gateway key is in this answer only.
         *
         *     Needs `manage keys` in the app.
         */
        post: operations["create_app_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/keys/{key}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a key: from now on nobody enrols, reads tables or signs facts with it
         * @description Devices that enrolled with it keep their credentials. Revoking again changes nothing.
         *
         *     Needs `manage keys` in the app.
         */
        post: operations["revoke_app_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The app's id lists, by name
         * @description Needs a role in the app.
         */
        get: operations["list_id_lists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/lists/{id_list}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One id list, without its devices
         * @description Needs a role in the app.
         */
        get: operations["get_id_list"];
        /**
         * Make these the devices of a list, at most 100000; the list is made if need be
         * @description As JSON, or as text with one device id on a line. Devices need not have been seen yet.
         *
         *     Needs `release` in the app.
         */
        put: operations["put_id_list"];
        post?: never;
        /**
         * Delete a list; refused while a release asks for it
         * @description Needs `release` in the app.
         */
        delete: operations["delete_id_list"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/lists/{id_list}/add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add devices to a list; those that are in it already change nothing
         * @description Needs `release` in the app.
         */
        post: operations["add_to_id_list"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/lists/{id_list}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The devices of a list, the last added first
         * @description Needs a role in the app.
         */
        get: operations["list_id_list_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/lists/{id_list}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take devices out of a list; those that are not in it change nothing
         * @description Needs `release` in the app.
         */
        post: operations["remove_from_id_list"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The roles held in the app, the longest held first
         * @description Needs a role in the app.
         */
        get: operations["list_app_members"];
        put?: never;
        /**
         * Give a user a role in the app; one that is held already changes nothing
         * @description Needs `manage members` in the app.
         */
        post: operations["add_app_member"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/members/{user}/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a role in the app away
         * @description Needs `manage members` in the app.
         */
        delete: operations["remove_app_member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/newcomers/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reinstate the devices that came in a span of time with an app key alone
         * @description All that are revoked, also those that were revoked one by one.
         *
         *     Needs `manage keys` in the app.
         */
        post: operations["reinstate_newcomers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/newcomers/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the devices that came in a span of time with an app key alone
         * @description Those that the app's backend vouches for are left alone. A worker does it, within seconds. Then the credentials
         *     of the others no longer count, and they cannot enrol again under their ids.
         *
         *     Needs `manage keys` in the app.
         */
        post: operations["revoke_newcomers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/scenarios": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The scenarios that may deliver to the app, the last allowed first
         * @description Needs a role in the app.
         */
        get: operations["list_app_scenarios"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/scenarios/{scenario}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether and how one scenario may deliver to the app; 404 if it may not
         * @description Needs a role in the app.
         */
        get: operations["get_app_scenario"];
        /**
         * Let a scenario deliver to the app: from now on as the body says, whatever was said before
         * @description Whoever may release in the scenario and sees the app can then release its versions to the app's devices. You
         *     have to see the scenario too.
         *
         *     Needs `manage members` in the app.
         */
        put: operations["allow_app_scenario"];
        post?: never;
        /**
         * Take back that a scenario may deliver to the app
         * @description Its releases to the app that are under way pause; they can be aborted and rolled back, and go on only once it
         *     may deliver again. What is complete stays until it is rolled back.
         *
         *     Needs `manage members` in the app.
         */
        delete: operations["withdraw_app_scenario"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/table": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What gateways answer the app's devices from, for people
         * @description Needs a role in the app.
         */
        get: operations["get_app_table"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/targeting/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the devices that a rule matches, before it is released
         * @description By what the devices said at their last check-in. Of a large fleet the counts are estimates, made from a sample,
         *     unless you ask for exact ones. A rule that a release would be refused is refused here too.
         *
         *     Needs a role in the app.
         */
        post: operations["preview_targeting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/targeting/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say all that is wrong with a rule, with the place of each fault, and what it asks for
         * @description Nothing is stored, and no device is looked at: it is quick enough to be asked while somebody types.
         *
         *     Needs a role in the app.
         */
        post: operations["validate_targeting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/user-facts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the cloud holds about the users of the app's devices
         * @description Needs a role in the app.
         */
        get: operations["list_user_facts"];
        put?: never;
        /**
         * Hold facts about the users of many devices at once, at most 10000
         * @description Each replaces all that was held for its device. They count in rules as `user.<name>` and for exclusive files,
         *     and win over those in a device's credential. All are held, or none.
         *
         *     Needs `issue device credentials` in the app.
         */
        post: operations["set_many_user_facts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/user-facts/{device}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the cloud holds about the user of one device
         * @description Needs a role in the app.
         */
        get: operations["get_user_facts"];
        /**
         * Hold facts about the user of one device, instead of those before
         * @description The device need not have been seen yet. Without any fact nothing is held any more.
         *
         *     Needs `issue device credentials` in the app.
         */
        put: operations["set_user_facts"];
        post?: never;
        /**
         * Hold nothing any more about the user of one device
         * @description Needs `issue device credentials` in the app.
         */
        delete: operations["clear_user_facts"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The app's declared versions, newest first
         * @description Needs a role in the app.
         */
        get: operations["list_app_versions"];
        put?: never;
        /**
         * Declare a version of the app, so that releases can be addressed to it
         * @description One that is known already is answered in the same way; a profile that is given takes the place of its own.
         *
         *     Needs `manage keys` in the app.
         */
        post: operations["add_app_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app}/versions/{app_version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Declare what tasks find in a version of the app, for simulations from now on
         * @description Needs `manage keys` in the app.
         */
        patch: operations["change_app_version"];
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who did what, newest first
         * @description Entries of the scopes in which you hold a role, and your own; site staff see all. A page may hold fewer than
         *     `limit`, or none, although others follow; `next` is null at the end, and only there.
         *
         *     Needs to be signed in.
         */
        get: operations["list_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The devices of the apps you may see, the last registered first
         * @description A page may hold fewer than `limit`, or none, although others follow: where few devices are as asked for and no
         *     index leads to them, each page looks through a part of the fleet. `next` is null at the end, and only there.
         *
         *     Needs to be signed in.
         */
        get: operations["list_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{app}/{device}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One device with its installed tasks and its newest reports
         * @description Needs a role in the app.
         */
        get: operations["get_device"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{app}/{device}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which release decides about each task on a device, and why the others do not
         * @description Decided as at a check-in, from the facts and tasks that the device told at its last one.
         *
         *     Needs a role in the app.
         */
        get: operations["explain_device"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{app}/{device}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reinstate a device: take its revocation back
         * @description Needs `manage keys` in the app.
         */
        post: operations["reinstate_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{app}/{device}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a device: its credential no longer counts, and it cannot enrol again under its id
         * @description Needs `manage keys` in the app.
         */
        post: operations["revoke_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{app}/{device}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to a device, newest first
         * @description Its first and its last check-in, the releases that drew it, what it installed, ran and removed, and when it was
         *     revoked or reinstated.
         *
         *     Needs a role in the app.
         */
        get: operations["get_device_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many devices of the apps you may see are as asked for
         * @description Of a large fleet this is an estimate, made from a sample of it, unless there are few or you ask for `exact`.
         *
         *     Needs to be signed in.
         */
        get: operations["count_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The fleet at one glance: devices, rates, releases under way, and what needs somebody
         * @description Of the apps and releases that you may see, or of one app.
         *
         *     Needs to be signed in.
         */
        get: operations["get_fleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/pulse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the devices of the apps you may see did per second, in the past minutes or hours
         * @description Counted by all gateways when they store it, and kept for two days. A step is told when it is over.
         *
         *     Needs to be signed in.
         */
        get: operations["get_fleet_pulse"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the request comes from, and what they may do where
         * @description Needs to be signed in.
         */
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Releases of the scenarios and to the apps you may see, newest first
         * @description Needs to be signed in.
         */
        get: operations["list_releases"];
        put?: never;
        /**
         * Draft a release of a version to the devices of an app that a rule takes, in stages
         * @description Nothing happens before it is started.
         *
         *     Needs `release` in the task's scenario, which has `deliver` in the app, and a role in the app.
         */
        post: operations["create_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One release with its stages, figures, verdicts and every move it made
         * @description Needs a role in the task's scenario or in the app.
         */
        get: operations["get_release"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}/{action}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start, approve, reject, promote, complete, pause, resume, abort or roll back a release
         * @description Devices hear of it at their next check-in. To roll back is to withdraw the version: the last good one becomes
         *     the target again, and the version goes into quarantine. To promote or complete a release whose stage has not
         *     passed takes `complete early` of the scenario in the app, and a reason.
         *
         *     Needs `release` in the task's scenario, which has `deliver` in the app, and a role in the app; to reject, pause, abort or roll back, `halt releases` in either.
         */
        post: operations["move_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}/clone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Draft a release again: as it was, or of another version, to other devices, with another strategy
         * @description Needs `release` in the task's scenario, which has `deliver` in the app, and a role in the app.
         */
        post: operations["clone_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The devices that a release drew, and what became of each, in the order of their ids
         * @description Until some time after the release has ended, when they are forgotten. A page may hold fewer than `limit`, or
         *     none, although others follow; `next` is null at the end, and only there.
         *
         *     Needs a role in the task's scenario or in the app.
         */
        get: operations["list_release_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}/rollback-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say what rolling back a release would do, without doing it
         * @description Of other releases of its version, those are told that you may see.
         *
         *     Needs a role in the task's scenario or in the app.
         */
        get: operations["plan_rollback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A release over time: what became of its devices, how sure its failure rate is, and its events
         * @description A device's first outcome counts when it was received; a fall-back turns it into a failure afterwards.
         *
         *     Needs a role in the task's scenario or in the app.
         */
        get: operations["get_release_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}/simulation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What came of a release's task in each app version and system that it can reach, with logs
         * @description Needs a role in the task's scenario or in the app.
         */
        get: operations["get_simulation"];
        put?: never;
        /**
         * Simulate a release again whose last simulation ended in error, with the profiles as they are now
         * @description Needs `simulate` in the task's scenario.
         */
        post: operations["simulate_again"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/{release}/simulation/{cell}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the samples wrote in one cell of a simulation, as text
         * @description Needs a role in the task's scenario or in the app.
         */
        get: operations["get_simulation_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/releases/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say what a release would do, without making it
         * @description It is checked as it would be when it is made, and refused for the same reasons. Counts are of the devices that
         *     are known now.
         *
         *     Needs `release` in the task's scenario, which has `deliver` in the app, and a role in the app.
         */
        post: operations["plan_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What devices reported, newest first
         * @description From the apps you may see, and about tasks of the scenarios you may see. A page may hold fewer than `limit`, or
         *     none, although others follow; `next` is null at the end, and only there.
         *
         *     Needs to be signed in.
         */
        get: operations["list_reports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/vocabulary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What rules can say of facts: the types of facts, the operators, and the facts that every device has
         * @description Enough to draw a form for rules from. It is the same for all apps, and changes with Walle's version only.
         *
         *     Needs to be signed in.
         */
        get: operations["get_rule_vocabulary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scenarios": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The scenarios you may see, by slug
         * @description Needs to be signed in.
         */
        get: operations["list_scenarios"];
        put?: never;
        /**
         * Open a scenario with its empty git repository; you become its owner
         * @description Needs site staff.
         */
        post: operations["create_scenario"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scenarios/{scenario}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One scenario
         * @description Needs a role in the scenario.
         */
        get: operations["get_scenario"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a scenario's description, or whether its releases need approval
         * @description Fields that are left out stay.
         *
         *     Needs `manage members` in the scenario.
         */
        patch: operations["change_scenario"];
        trace?: never;
    };
    "/api/v1/scenarios/{scenario}/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The apps that the scenario may deliver to, the last allowed first
         * @description Needs a role in the scenario.
         */
        get: operations["list_scenario_apps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scenarios/{scenario}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The roles held in the scenario, the longest held first
         * @description Needs a role in the scenario.
         */
        get: operations["list_scenario_members"];
        put?: never;
        /**
         * Give a user a role in the scenario; one that is held already changes nothing
         * @description Needs `manage members` in the scenario.
         */
        post: operations["add_scenario_member"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scenarios/{scenario}/members/{user}/{role}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a role in the scenario away
         * @description Needs `manage members` in the scenario.
         */
        delete: operations["remove_scenario_member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scenarios/{scenario}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The scenario's tasks, by slug
         * @description Needs a role in the scenario.
         */
        get: operations["list_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is logged in, in this browser
         * @description The answer brings the cookie `csrftoken`, whose value every writing of the session sends as `X-CSRFToken`.
         *
         *     Needs nothing.
         */
        get: operations["get_session"];
        put?: never;
        /**
         * Log in
         * @description The session and the CSRF token are new ones afterwards. Attempts are limited by user name and address together;
         *     a cookie of an earlier login gives a browser a limit of its own. An Idempotency-Key is not looked at.
         *
         *     Needs the CSRF token.
         */
        post: operations["log_in"];
        /**
         * Log out; harmless where nobody is logged in
         * @description Needs the CSRF token.
         */
        delete: operations["log_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tasks of the scenarios you may see, the last made first
         * @description Needs to be signed in.
         */
        get: operations["list_all_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One task
         * @description Needs a role in the scenario.
         */
        get: operations["get_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/installed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many devices have which version of the task, in all apps
         * @description Where it is on many devices, they are counted from time to time.
         *
         *     Needs a role in the scenario.
         */
        get: operations["get_installed_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a task from all devices; it takes no new versions
         * @description Retiring again changes nothing.
         *
         *     Needs `retire tasks` in the scenario.
         */
        post: operations["retire_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How long the task runs, what it holds and how long its VM lives, by class of devices, cold and warm apart
         * @description Counted as reports come, in steps of six hours.
         *
         *     Needs a role in the scenario.
         */
        get: operations["get_task_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/unretire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a task be released again
         * @description Needs `retire tasks` in the scenario.
         */
        post: operations["unretire_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The task's versions, the highest first
         * @description Needs a role in the scenario.
         */
        get: operations["list_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One version with its files and its manifest, and why it is in quarantine, if it is
         * @description Needs a role in the scenario.
         */
        get: operations["get_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/versions/{version}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The files of a version that devices install, as one tar.gz, byte by byte as they ship
         * @description Variants of exclusive files are personal and not in it; what does not travel is in git only.
         *
         *     Needs a role in the scenario.
         */
        get: operations["download_version"];
        /**
         * Register a version from an archive of its files, without git
         * @description The body is a tar, plain or with gzip, or a zip, of whatever type is stated; `task.toml` lies at its top. The
         *     server commits it to the task's branch, which is made if need be, and tags it, both in your name. The same
         *     content again is answered with 200, a new version with 201.
         *
         *     Needs `push` in the scenario.
         */
        put: operations["register_version"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/versions/{version}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changed from a version of the task to this one: files, with their text, and declarations
         * @description Needs a role in the scenario.
         */
        get: operations["diff_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/versions/{version}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The content of one shared file of a version
         * @description Variants of exclusive files are personal: nobody reads them here.
         *
         *     Needs a role in the scenario.
         */
        get: operations["download_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/versions/{version}/lift-quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a version that was rolled back be released again
         * @description Needs `release` in the scenario.
         */
        post: operations["lift_quarantine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{scenario}/{task}/versions/{version}/variants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The variants of the version's exclusive files, the newest first
         * @description Needs a role in the scenario.
         */
        get: operations["list_variants"];
        /**
         * Give an exclusive file its content for one key
         * @description The body is the content, of whatever type, or a form with one part, `file`. Other content than before
         *     replaces it: devices that install from then on get it.
         *
         *     Needs `upload variants` in the scenario.
         */
        put: operations["upload_variant"];
        post?: never;
        /**
         * Take a variant away: devices with its key get the file's default from then on
         * @description Needs `upload variants` in the scenario.
         */
        delete: operations["remove_variant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your tokens, newest first, revoked ones included
         * @description A token that is limited sees itself only.
         *
         *     Needs to be signed in.
         */
        get: operations["list_tokens"];
        put?: never;
        /**
         * Make a token for yourself
         * @description Its secret is in this answer only. It takes a session: a token cannot make tokens.
         *
         *     Needs a session.
         */
        post: operations["issue_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{token}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a token useless at once
         * @description Your own; site staff may revoke anybody's. A token that is limited revokes itself only. Revoking again changes
         *     nothing.
         *
         *     Needs to own the token, or site staff.
         */
        post: operations["revoke_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The webhooks that you may manage, newest first
         * @description Needs to be signed in.
         */
        get: operations["list_webhooks"];
        put?: never;
        /**
         * Have the events of a scope sent to an address
         * @description The secret that signs them is in this answer only.
         *
         *     Needs `manage webhooks` in the scope; site staff for all scopes.
         */
        post: operations["create_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook
         * @description Needs `manage webhooks` in the scope.
         */
        get: operations["get_webhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook with its deliveries; it hears nothing from now on
         * @description Needs `manage webhooks` in the scope.
         */
        delete: operations["delete_webhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook's url, events or description, or switch it off or on
         * @description Fields that are left out stay. What is on its way when it is switched off fails, and can be replayed later; what
         *     happens while it is off is not kept for it.
         *
         *     Needs `manage webhooks` in the scope.
         */
        patch: operations["change_webhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a webhook was told, or is to be told, newest first; kept for 30 days
         * @description Needs `manage webhooks` in the scope.
         */
        get: operations["list_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One delivery, with the body that is sent and every answer that came
         * @description Needs `manage webhooks` in the scope.
         */
        get: operations["get_delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/deliveries/{delivery}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event once more, under the same id, whatever became of it
         * @description Needs `manage webhooks` in the scope.
         */
        post: operations["replay_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook an event `webhook.ping`, whatever it asks for; the delivery says what came of it
         * @description Needs `manage webhooks` in the scope.
         */
        post: operations["ping_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description For the time of the overlap every request carries two signatures, so that the receiver can take its time. The
         *     new secret is in this answer only.
         *
         *     Needs `manage webhooks` in the scope.
         */
        post: operations["rotate_webhook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        App: {
            /** @description seconds between two check-ins of an idle device */
            readonly check_in_interval: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description new devices that may enrol with an app key per hour and gateway process; empty: the server's */
            readonly enrolment_limit: number | null;
            readonly name: string;
            readonly slug: string;
        };
        /** @description A key without its text, which is not kept. */
        AppKey: {
            /** Format: date-time */
            readonly created_at: string;
            readonly id: number;
            readonly kind: components["schemas"]["AppKeyKind"];
            readonly label: string;
            /** @description Of a backend key: its raw bytes in hex. */
            readonly public_key: string | null;
            /** Format: date-time */
            readonly revoked_at: string | null;
        };
        /** @enum {string} */
        AppKeyKind: "enrol" | "gateway" | "backend";
        AppKeyPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["AppKey"][];
        };
        AppPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["App"][];
        };
        AppVersion: {
            /** Format: date-time */
            readonly created_at: string;
            /** @description what tasks find in it (docs/guides/simulation.md); empty: not declared */
            readonly profile: {
                [key: string]: unknown;
            };
            readonly version: string;
        };
        AppVersionDevices: {
            readonly app: string;
            /** @description "" of devices that name none */
            readonly app_version: string;
            /** @description that have ever checked in and are not revoked */
            readonly known: number;
            /** @description of these, seen in the last two minutes */
            readonly online: number;
            /** @description of these, with any task installed */
            readonly with_tasks: number;
        };
        AppVersionPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["AppVersion"][];
        };
        /** @enum {string} */
        ArmEnum: "treatment" | "control";
        /** @description Devices of one arm until each moment. */
        ArmSeries: {
            /** @description drawn for the release */
            readonly drawn: number[];
            /** @description whose outcome is a failure */
            readonly failed: number[];
            /** @description whose outcome is a success */
            readonly healthy: number[];
            /** @description that reported its installation */
            readonly installed: number[];
            /** @description offered the version; none in control */
            readonly offered: number[];
            /** @description failed among those with an outcome; null as long as there is none */
            readonly rate: (number | null)[];
            /** @description never heard of again */
            readonly silent: number[];
        };
        Attempt: {
            /** @description the beginning of the answer's body */
            readonly answer: string;
            /** Format: date-time */
            readonly at: string;
            readonly duration_ms: number;
            readonly error: string;
            /** @description of the answer; empty: none came */
            readonly status: number | null;
        };
        AuditEntry: {
            readonly action: string;
            readonly actor: string;
            /** @description Facts that changed, as they are since. */
            readonly after: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            readonly at: string;
            /** @description Facts that changed, as they were. */
            readonly before: {
                [key: string]: unknown;
            } | null;
            readonly id: number;
            readonly object_id: string;
            readonly object_name: string;
            readonly object_type: string;
            readonly request_id: string;
            readonly scope: string;
            /** @description beginning of the token used; empty: none */
            readonly token: string;
        };
        AuditEntryPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["AuditEntry"][];
        };
        Bases: {
            readonly exclusive: string;
            readonly shared: string;
        };
        /** @enum {unknown} */
        BlankEnum: "";
        Bound: {
            /** @description as the operand has it */
            readonly name: string;
            readonly words: string;
        };
        /** @description A fact that every device has. */
        BuiltInFact: {
            readonly description: string;
            readonly name: string;
            readonly type: string;
            /** @description all there are; null: any */
            readonly values: string[] | null;
        };
        /** @description The runs on some devices. */
        ClassRuns: {
            /** @description with the runs that do not say how they began */
            readonly cold: components["schemas"]["StartRuns"];
            readonly failed: number;
            /** @description empty: not said; "other": none of the known systems */
            readonly os: string;
            /** @description low, mid, high or other; empty: not said */
            readonly performance: string;
            readonly runs: number;
            /** @description why kept VMs had ended, the most frequent cause first */
            readonly vm_ends: components["schemas"]["VmEnd"][];
            readonly warm: components["schemas"]["StartRuns"];
        };
        CloneRequest: {
            /** @description versions of the app that get it; instead of a rule */
            app_versions?: string[];
            /** @description which devices get it, instead of the first one's rule */
            rule?: unknown;
            /** @description its keys replace those of the first one's strategy */
            strategy?: {
                [key: string]: unknown;
            };
            /** @description another version of the same task */
            version?: string;
        };
        /** @description Something that needs somebody. */
        Concern: {
            /** @description a word for programs; docs/guides/rest.md lists them */
            readonly kind: string;
            /** @description what is the matter, and what would help */
            readonly reason: string;
            /** Format: date-time */
            readonly since: string | null;
            /** @description address below /api/v1/ of what it is about; "" where it has none */
            readonly target: string;
            /** @description what it is about */
            readonly title: string;
            /** @description now: devices are or may soon be worse off; soon: something stands still until somebody acts */
            readonly urgency: components["schemas"]["UrgencyEnum"];
        };
        Consideration: {
            /** @description where the device stands in the release's order, 0..999999 */
            readonly bucket: number;
            readonly decides: boolean;
            readonly reason: string;
            readonly release: number;
            /** @description buckets below this number are drawn */
            readonly share: number;
            readonly stage: number;
        };
        Count: {
            /** @description devices for which something else is held than before */
            readonly changed: number;
        };
        /** @description A number of devices. */
        Counted: {
            readonly count: number;
            /** @description false: an estimate */
            readonly exact: boolean;
            /** @description by how much an estimate is off at most, 19 times of 20 */
            readonly margin: number;
        };
        /** @description A new key; of an enrol or gateway key the only answer that ever holds its text. */
        CreatedAppKey: {
            /** Format: date-time */
            readonly created_at: string;
            readonly id: number;
            readonly kind: components["schemas"]["AppKeyKind"];
            readonly label: string;
            /** @description Of a backend key: its raw bytes in hex. */
            readonly public_key: string | null;
            /** Format: date-time */
            readonly revoked_at: string | null;
            /** @description shown this once; null for a backend key */
            readonly text: string | null;
        };
        DeclaredFact: {
            readonly description: string;
            /** @description as rules use it; facts about users begin with user. */
            readonly name: string;
            readonly source: components["schemas"]["SourceEnum"];
            readonly type: components["schemas"]["TypeEnum"];
            readonly values: unknown;
        };
        DeclaredFactPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["DeclaredFact"][];
        };
        Delivery: {
            /** @description since it was made, or replayed */
            readonly attempts: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description why the last attempt did not succeed */
            readonly error: string;
            /** @description the entry's action */
            readonly event: string;
            /** Format: date-time */
            readonly finished_at: string | null;
            readonly id: number;
            /** @description the id that the receiver sees as `webhook-id` */
            readonly message: string;
            /**
             * Format: date-time
             * @description null: it is under way, or there is none
             */
            readonly next_attempt_at: string | null;
            readonly object_name: string;
            /** @description of two events in a row the later has the greater */
            readonly sequence: number;
            readonly state: components["schemas"]["DeliveryState"];
            /** @description HTTP status of the last answer; empty: none came */
            readonly status: number | null;
        };
        /** @description A delivery with what is sent and what came back. */
        DeliveryDetail: {
            /** @description since it was made, or replayed */
            readonly attempts: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description why the last attempt did not succeed */
            readonly error: string;
            /** @description the entry's action */
            readonly event: string;
            /** Format: date-time */
            readonly finished_at: string | null;
            readonly id: number;
            /** @description the id that the receiver sees as `webhook-id` */
            readonly message: string;
            /**
             * Format: date-time
             * @description null: it is under way, or there is none
             */
            readonly next_attempt_at: string | null;
            readonly object_name: string;
            /** @description the body, as JSON */
            readonly payload: {
                [key: string]: unknown;
            };
            /** @description of two events in a row the later has the greater */
            readonly sequence: number;
            readonly state: components["schemas"]["DeliveryState"];
            /** @description HTTP status of the last answer; empty: none came */
            readonly status: number | null;
            /** @description every request, the first first; replays included */
            readonly tries: components["schemas"]["Attempt"][];
        };
        /** @description Says that a scenario's versions may be released to an app. */
        DeliveryGrant: {
            readonly app: string;
            /** @description may also skip what a stage waits for, with a reason that is recorded */
            readonly complete_early: boolean;
            /** Format: date-time */
            readonly granted_at: string;
            readonly granted_by: string;
            /** @description why, in the words of who granted it */
            readonly note: string;
            readonly scenario: string;
        };
        DeliveryGrantPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["DeliveryGrant"][];
        };
        DeliveryPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Delivery"][];
        };
        /** @enum {string} */
        DeliveryState: "pending" | "sending" | "delivered" | "failed";
        Device: {
            readonly app: string;
            readonly device: string;
            /** @description what the device says of itself */
            readonly facts: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            readonly first_seen: string;
            /** Format: date-time */
            readonly last_seen: string;
            /** Format: date-time */
            readonly revoked_at: string | null;
            /** @description what the app's backend signed about its user */
            readonly trusted: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description since when the app's backend vouches for it
             */
            readonly vouched_at: string | null;
        };
        /** @description A number of devices. */
        DeviceCount: {
            readonly count: number;
            /** @description false: an estimate */
            readonly exact: boolean;
            /** @description by how much an estimate is off at most, 19 times of 20 */
            readonly margin: number;
        };
        DeviceDetail: {
            readonly app: string;
            readonly device: string;
            /** @description what the device says of itself */
            readonly facts: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            readonly first_seen: string;
            readonly installed: components["schemas"]["InstalledTask"][];
            /** Format: date-time */
            readonly last_seen: string;
            /** @description the newest */
            readonly reports: components["schemas"]["Report"][];
            /** Format: date-time */
            readonly revoked_at: string | null;
            /** @description what the app's backend signed about its user */
            readonly trusted: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description since when the app's backend vouches for it
             */
            readonly vouched_at: string | null;
        };
        DeviceExplanation: {
            readonly results: components["schemas"]["Explanation"][];
        };
        DevicePage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Device"][];
        };
        /** @description How many devices there are; those of one kind are the most frequent kinds only. */
        Devices: {
            readonly app_versions: components["schemas"]["AppVersionDevices"][];
            /**
             * Format: date-time
             * @description when they were counted; null: now. Many are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description that have ever checked in and are not revoked */
            readonly known: number;
            /** @description of these, seen in the last two minutes */
            readonly online: number;
            /** @description by operating system and its version */
            readonly systems: components["schemas"]["SystemDevices"][];
            /** @description of these, with any task installed */
            readonly with_tasks: number;
        };
        DevicesRequest: {
            devices: string[];
        };
        /** @description A device that was drawn for a release: offered its version (treatment) or held back for comparison (control). */
        DrawnDevice: {
            readonly arm: components["schemas"]["ArmEnum"];
            readonly device: string;
            /** Format: date-time */
            readonly drawn_at: string;
            /** Format: double */
            readonly duration_ms: number | null;
            /** @description of its failure; empty: none */
            readonly error_class: string;
            /** @description what it says of itself; empty for those who may not see the app's devices */
            readonly facts: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            readonly installed_at: string | null;
            /** @description what it said of its failure; empty: nothing */
            readonly message: string;
            /** Format: date-time */
            readonly offered_at: string | null;
            /** @description "": it has not reported */
            readonly outcome: components["schemas"]["DrawnDeviceOutcomeEnum"] | components["schemas"]["BlankEnum"];
            /**
             * Format: date-time
             * @description when its outcome was received
             */
            readonly settled_at: string | null;
            /** @description null: it still has time to be heard of */
            readonly silent: boolean | null;
            /** @description during which it was drawn, counted from 0 */
            readonly stage: number;
        };
        /** @enum {string} */
        DrawnDeviceOutcomeEnum: "success" | "failure";
        DrawnDevicePage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["DrawnDevice"][];
        };
        /** @description One thing that happened to a device. */
        Event: {
            /**
             * Format: date-time
             * @description by the server's clock
             */
            readonly at: string;
            /** @description what else is known of an event of its kind */
            readonly details: {
                [key: string]: unknown;
            };
            readonly kind: components["schemas"]["EventKindEnum"];
            /** @description that drew the device, or that proved the report */
            readonly release: number | null;
            readonly task: string | null;
            readonly version: string | null;
        };
        /** @enum {string} */
        EventKindEnum: "registered" | "checked-in" | "offered" | "held-back" | "drawn" | "installed" | "install-failed" | "ran" | "run-failed" | "removed" | "remove-failed" | "revoked" | "reinstated";
        EventPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Event"][];
        };
        /** @description What becomes of one task on the device, and the part that each release had in it, newest first. */
        Explanation: {
            /** @description at the device's next check-in */
            readonly change: components["schemas"]["ExplanationChangeEnum"];
            readonly considered: components["schemas"]["Consideration"][];
            /** @description release that decides */
            readonly release: number | null;
            readonly task: string;
        };
        /** @enum {string} */
        ExplanationChangeEnum: "install" | "remove" | "none";
        /** @description A fact that the rule asks for; type and source are null where none of that name is declared. */
        FactAsked: {
            readonly name: string;
            readonly source: components["schemas"]["SourceEnum"] | components["schemas"]["NullEnum"];
            readonly type: components["schemas"]["TypeEnum"] | components["schemas"]["NullEnum"];
            /** @description all there are; null: any */
            readonly values: string[] | null;
        };
        FactDeclarationRequest: {
            /** @default  */
            description: string;
            type: components["schemas"]["TypeEnum"];
            /** @description of a text: all there are */
            values?: string[];
        };
        /** @enum {string} */
        FactKind: "text" | "number" | "boolean";
        /** @description A type of facts. */
        FactType: {
            /** @description its values in words */
            readonly expected: string;
            /** @description what its values are in JSON */
            readonly json: components["schemas"]["FactKind"];
            readonly name: string;
            /** @description that take it, the usual one first */
            readonly operators: string[];
        };
        FieldChange: {
            /** @description such as limits.time_ms */
            readonly field: string;
            /** @description null: the new version does not have it */
            readonly new: unknown | null;
            /** @description null: the old version does not have it */
            readonly old: unknown | null;
        };
        FieldError: {
            /** @description what was expected */
            detail: string;
            /** @description dotted name of a field; empty: the whole body */
            field: string;
        };
        FileChange: {
            readonly change: components["schemas"]["FileChangeChangeEnum"];
            /** @description unified, with three lines of context */
            readonly diff: string | null;
            readonly new: components["schemas"]["FileSide"] | null;
            readonly old: components["schemas"]["FileSide"] | null;
            /** @description why there is no diff */
            readonly omitted: components["schemas"]["OmittedEnum"] | components["schemas"]["NullEnum"];
            readonly path: string;
        };
        /** @enum {string} */
        FileChangeChangeEnum: "added" | "removed" | "changed";
        /** @enum {string} */
        FileKind: "shared" | "exclusive";
        /** @description A file as one of the two versions has it. */
        FileSide: {
            readonly default: string;
            /** @description SHA-256 of a shared file */
            readonly digest: string | null;
            readonly kind: components["schemas"]["FileKind"];
            readonly size: number | null;
            readonly template: string;
        };
        /** @description The fleet as the person sees it who asks. */
        Fleet: {
            /** @description slugs of the apps it is about */
            readonly apps: string[];
            /**
             * Format: date-time
             * @description when this was read
             */
            readonly at: string;
            /** @description the most urgent first; at most 50 */
            readonly attention: components["schemas"]["Concern"][];
            readonly devices: components["schemas"]["Devices"];
            readonly rates: components["schemas"]["Rates"];
            /** @description those under way, the newest first; at most 50 */
            readonly releases: components["schemas"]["UnderWay"][];
        };
        HeldRole: {
            /** @description what the roles allow there */
            readonly permissions: string[];
            readonly roles: components["schemas"]["Role"][];
            readonly scope: string;
        };
        IdList: {
            readonly description: string;
            readonly name: string;
            /** @description number of devices */
            readonly size: number;
            /** Format: date-time */
            readonly updated_at: string;
            readonly updated_by: string;
        };
        IdListMember: {
            readonly device: string;
        };
        IdListMemberPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["IdListMember"][];
        };
        IdListPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["IdList"][];
        };
        /** @description Which versions of a task devices have, by what they said last. */
        Installed: {
            /**
             * Format: date-time
             * @description when they were counted; null: now. Many are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description that have any version */
            readonly devices: number;
            /** @description those that any device has, the most devices first */
            readonly versions: components["schemas"]["InstalledVersion"][];
        };
        InstalledOnApp: {
            readonly app: string;
            readonly devices: number;
        };
        InstalledTask: {
            readonly manifest: string;
            /** Format: date-time */
            readonly since: string;
            readonly task: string;
        };
        /** @description The devices that have one version. */
        InstalledVersion: {
            /** @description the same by app, the most devices first */
            readonly apps: components["schemas"]["InstalledOnApp"][];
            readonly devices: number;
            /** @description "" of manifests of no registered version */
            readonly version: string;
        };
        /** @description A new token; the only answer that ever holds its secret. */
        IssuedToken: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at: string | null;
            /** Format: date-time */
            readonly last_used_at: string | null;
            /** @description what the token is for, in the words of its owner */
            readonly name: string;
            /** @description empty: everything its user may do */
            readonly permissions: string[];
            /** @description the token's public beginning */
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at: string | null;
            /** @description empty: everywhere */
            readonly scopes: string[];
            /** @description shown this once: `Authorization: Bearer <secret>` */
            readonly secret: string;
        };
        /** @description A webhook with a new secret; the only answer that ever holds it. */
        IssuedWebhook: {
            /** @description an inactive webhook hears nothing, not even later */
            readonly active: boolean;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            readonly description: string;
            readonly events: string[];
            /**
             * Format: date-time
             * @description the first failure after the last success
             */
            readonly failing_since: string | null;
            readonly id: number;
            readonly inactive_reason: string;
            /**
             * Format: date-time
             * @description until then the secret before the present one signs too; null: none does
             */
            readonly previous_until: string | null;
            /** @description such as scenario:camera or app:shop; site stands for all there are */
            readonly scope: string;
            /** @description shown this once: `whsec_` and the key that signs, in base64 */
            readonly secret: string;
            /** @description where events are sent to; who knows it may be all it takes */
            readonly url: string;
        };
        /** @description An id list that the rule asks for. */
        ListAsked: {
            readonly name: string;
            /** @description number of devices; null: there is no such list */
            readonly size: number | null;
        };
        LoginRequest: {
            password: string;
            username: string;
        };
        ManyUserFactsRequest: {
            /** @description by device id; null: none is held any more */
            facts: {
                [key: string]: {
                    [key: string]: unknown;
                } | null;
            };
        };
        /** @description What the app's owners allow the scenario now. */
        MayDeliver: {
            /** @description it may be moved on before its stage has passed */
            readonly complete_early: boolean;
            /** @description false: it can be halted, and does not go on */
            readonly deliver: boolean;
        };
        /** @description Who the request comes from. */
        Me: {
            readonly scopes: components["schemas"]["HeldRole"][];
            /** @description site staff may do everything, everywhere their token reaches */
            readonly staff: boolean;
            /** @description the token of this request; null: a session */
            readonly token: components["schemas"]["Token"] | null;
            readonly username: string;
        };
        Member: {
            /** Format: date-time */
            readonly created_at: string;
            readonly role: components["schemas"]["Role"];
            readonly user: string;
        };
        MemberPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Member"][];
        };
        /** @enum {string} */
        ModeEnum: "offer" | "hold" | "keep";
        MoveRequest: {
            /** @description likewise the stage you saw */
            position?: number;
            /**
             * @description for the history
             * @default
             */
            reason: string;
            /** @description the state you saw; if the release has left it, nothing is done */
            state?: components["schemas"]["ReleaseState"];
        };
        /** @description `enrol` and `gateway` keys are made here; of a `backend` key you give the public half. */
        NewAppKeyRequest: {
            kind: components["schemas"]["AppKeyKind"];
            /** @description what it is for */
            label: string;
            /** @description for a backend key only */
            public_key?: string;
        };
        NewAppRequest: {
            /**
             * @description seconds between two check-ins of an idle device
             * @default 60
             */
            check_in_interval: number;
            name: string;
            slug: string;
        };
        NewAppVersionRequest: {
            /** @description what tasks find in it (docs/guides/simulation.md) */
            profile?: {
                [key: string]: unknown;
            };
            version: string;
        };
        /** @description Devices that came in a span of time. */
        Newcomers: {
            /** @description how many it is being done to */
            readonly devices: number;
            /** Format: date-time */
            readonly first_seen_before: string;
            /** Format: date-time */
            readonly first_seen_since: string;
        };
        NewDeliveryGrantRequest: {
            /**
             * @description may also skip what a stage waits for, with a reason that is recorded
             * @default false
             */
            complete_early: boolean;
            /**
             * @description why, for people
             * @default
             */
            note: string;
        };
        NewIdListRequest: {
            description?: string;
            devices: string[];
        };
        NewMemberRequest: {
            role: components["schemas"]["Role"];
            /** @description user name */
            user: string;
        };
        NewRegionBaseRequest: {
            /**
             * Format: uri
             * @description base URL of exclusive files
             */
            exclusive: string;
            /**
             * @description empty: every region without a base of its own
             * @default
             */
            region: string;
            /**
             * Format: uri
             * @description base URL of shared files
             */
            shared: string;
        };
        NewReleaseRequest: {
            app: string;
            /** @description versions of the app that get it; instead of a rule */
            app_versions?: string[];
            /** @description targeting rule: which devices get it */
            rule?: unknown;
            /** @description stages, limits and pace; what is left out is filled in */
            strategy?: unknown;
            /** @description <scenario>/<task> */
            task: string;
            version: string;
        };
        NewScenarioRequest: {
            /** @default  */
            description: string;
            slug: string;
        };
        NewTokenRequest: {
            /** Format: date-time */
            expires_at?: string | null;
            /** @description what it is for */
            name: string;
            /** @description limits the token to these, and to viewing; empty: no limit */
            permissions?: components["schemas"]["PermissionsEnum"][];
            /** @description limits the token to these; empty: no limit */
            scopes?: string[];
        };
        NewUserFactsRequest: {
            /** @description declared facts by name, without user.; nothing: none is held any more */
            facts: {
                [key: string]: unknown;
            };
        };
        NewWebhookRequest: {
            /** @default  */
            description: string;
            /** @description such as release.start, release.* or * */
            events: string[];
            /** @description whose events: scenario:<slug>, app:<slug>, or site for all there are */
            scope: string;
            /** @description https, to a public address */
            url: string;
        };
        NullEnum: null;
        /** @enum {string} */
        OmittedEnum: "binary" | "too-large" | "exclusive";
        /** @description What an operator compares with. */
        Operand: {
            /** @description that such an object may have; none for other forms */
            readonly bounds: components["schemas"]["Bound"][];
            /** @description its JSON in words */
            readonly expected: string;
            /** @description values: a list; value: one; text; notation: text by rules of its own; bounds: an object */
            readonly form: components["schemas"]["OperandForm"];
        };
        /** @enum {string} */
        OperandForm: "values" | "value" | "text" | "notation" | "bounds";
        /** @description A way to ask for a fact: `{"fact": ..., name: operand}`. */
        Operator: {
            /** @description of an operand */
            readonly example: unknown;
            /** @description what to say of an empty operand; null: it may be empty */
            readonly missing: string | null;
            readonly name: string;
            readonly operand: components["schemas"]["Operand"];
            /** @description that it takes */
            readonly types: string[];
            /** @description to stand between fact and operand */
            readonly words: string;
        };
        OtherRelease: {
            readonly release: number;
            readonly state: components["schemas"]["ReleaseState"];
            readonly version: string;
        };
        PatchedAppChangeRequest: {
            check_in_interval?: number;
            /** @description new devices that may enrol with an app key per hour and gateway process; null: the server's number */
            enrolment_limit?: number | null;
            name?: string;
        };
        PatchedAppVersionChangeRequest: {
            /** @description what tasks find in it (docs/guides/simulation.md) */
            profile?: {
                [key: string]: unknown;
            };
        };
        PatchedScenarioChangeRequest: {
            /** @description every release has to be approved by somebody else than who made it */
            approval_required?: boolean;
            description?: string;
        };
        PatchedWebhookChangeRequest: {
            active?: boolean;
            description?: string;
            /** @description such as release.start, release.* or * */
            events?: string[];
            /** @description https, to a public address */
            url?: string;
        };
        /** @enum {string} */
        PermissionsEnum: "view" | "push" | "upload variants" | "simulate" | "retire tasks" | "release" | "complete early" | "halt releases" | "issue device credentials" | "manage keys" | "manage members" | "manage webhooks" | "manage the site";
        PlannedCell: {
            readonly app_version: string;
            readonly os: string;
            readonly os_version: string;
        };
        /** @description What is tried before any device hears of the release. */
        PlannedSimulation: {
            /** @description app versions and systems in which the task is tried */
            readonly cells: components["schemas"]["PlannedCell"][];
            readonly needed: boolean;
            /** @description app versions that cannot be, and why */
            readonly problems: string[];
        };
        /** @description One stage, by the devices that are known now. */
        PlannedStage: {
            /** @description of these, not reached by the stage before */
            readonly adds: components["schemas"]["Counted"];
            /**
             * Format: double
             * @description seconds that it takes at least, by its dwell time and pace
             */
            readonly at_least_s: number;
            /** Format: double */
            readonly dwell_s: number;
            /** @description devices that have to report */
            readonly evidence: number;
            /** @description devices held back for comparison meanwhile */
            readonly held_back: components["schemas"]["Counted"];
            readonly id_list: string | null;
            readonly kind: components["schemas"]["StageKind"];
            /** @description offers per second; null: any */
            readonly pace: number | null;
            /** @description counted from 0 */
            readonly position: number;
            /** @description devices that are reached at its end */
            readonly reaches: components["schemas"]["Counted"];
            /** @description millionths of the eligible devices */
            readonly share: number;
        };
        PresentStage: {
            /** Format: date-time */
            readonly entered_at: string | null;
            readonly id_list: string;
            readonly kind: components["schemas"]["StageKind"];
            /** @description counted from 0 */
            readonly position: number;
            /** @description millionths of the eligible devices */
            readonly share: number;
        };
        /** @description What a rule matches now, of the app's devices that are not revoked. */
        Preview: {
            /** @description devices that it matches */
            readonly count: number;
            /** @description false: an estimate */
            readonly exact: boolean;
            /** @description by how much an estimate is off at most, 19 times of 20 */
            readonly margin: number;
            /** @description ids of the last registered that match, as far as they are found soon */
            readonly sample: string[];
            /** @description all of them, estimated likewise */
            readonly total: number;
        };
        /** @description Why a request was not done (RFC 9457). */
        Problem: {
            /** @description stable word for programs */
            code: string;
            /** @description text for people */
            detail?: string;
            errors?: components["schemas"]["FieldError"][];
            status: number;
            title: string;
            type: string;
        };
        /** @description What devices did per second, in at most 240 steps of equal length. */
        Pulse: {
            /** @description when the steps began, in Unix seconds */
            readonly at: number[];
            /** @description check-ins per second, by step */
            readonly check_ins: number[];
            /** @description new devices that enrolled with an app key per second, by step */
            readonly enrolled_by_key: number[];
            /** @description enrolments of devices that the app's backend vouches for per second, by step */
            readonly enrolled_by_statement: number[];
            /** @description new devices with an app key that a limit kept out, per second, by step */
            readonly enrolments_refused: number[];
            /** @description reported failures of whatever kind per second, by step */
            readonly failures: number[];
            /** @description reported installations per second, by step */
            readonly installs: number[];
            /** @description devices that a release under observation offered its version for the first time, per second, by step */
            readonly offers: number[];
            /** @description devices that were not known before per second, by step */
            readonly registered: number[];
            /** @description seconds in a step */
            readonly step_s: number;
        };
        Quarantine: {
            /** Format: date-time */
            readonly at: string;
            readonly by: string;
            readonly reason: string;
            /** @description release that was rolled back */
            readonly release: number;
        };
        QuarantineEndRequest: {
            /** @description why it may be released again */
            reason: string;
        };
        /** @description What devices do per second, on average over ten seconds. */
        Rates: {
            /**
             * Format: date-time
             * @description the end of these ten seconds
             */
            readonly at: string;
            /** Format: double */
            readonly check_ins: number;
            /**
             * Format: double
             * @description new devices that enrolled with an app key
             */
            readonly enrolled_by_key: number;
            /**
             * Format: double
             * @description of devices that the app's backend vouches for
             */
            readonly enrolled_by_statement: number;
            /**
             * Format: double
             * @description new devices with an app key that a limit kept out
             */
            readonly enrolments_refused: number;
            /** Format: double */
            readonly failures: number;
            /** Format: double */
            readonly installs: number;
            /**
             * Format: double
             * @description devices that a release under observation offered its version first
             */
            readonly offers: number;
            /**
             * Format: double
             * @description devices that were not known before
             */
            readonly registered: number;
        };
        /** @description Devices that were drawn for the new version, and what came of it. */
        Reached: {
            /**
             * Format: date-time
             * @description null: now
             */
            readonly counted_at: string | null;
            readonly drawn: number;
            readonly failed: number;
            readonly installed: number;
            readonly offered: number;
            readonly reported: number;
        };
        RegionBase: {
            /**
             * Format: uri
             * @description base URL of exclusive files
             */
            readonly exclusive: string;
            readonly region: string;
            /**
             * Format: uri
             * @description base URL of shared files (a CDN in front of /walle/v1)
             */
            readonly shared: string;
        };
        RegionBasePage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["RegionBase"][];
        };
        Release: {
            readonly app: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            readonly id: number;
            /** @description the stage it is in, counted from 0 */
            readonly position: number | null;
            /** @description which devices are eligible */
            readonly rule: {
                [key: string]: unknown;
            };
            readonly state: components["schemas"]["ReleaseState"];
            readonly task: string;
            readonly version: string;
        };
        /** @enum {string} */
        ReleaseAction: "start" | "pass" | "approve" | "reject" | "promote" | "complete" | "pause" | "resume" | "abort" | "roll-back" | "supersede" | "restore";
        ReleaseDetail: {
            /** @description what the app's owners allow the task's scenario now */
            readonly allowed: components["schemas"]["MayDeliver"];
            readonly app: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            /** @description devices drawn, offered, reported, failed and silent, by arm */
            readonly figures: {
                [key: string]: unknown;
            };
            readonly id: number;
            /** @description the stage it is in, counted from 0 */
            readonly position: number | null;
            /** @description which devices are eligible */
            readonly rule: {
                [key: string]: unknown;
            };
            readonly stages: components["schemas"]["Stage"][];
            readonly state: components["schemas"]["ReleaseState"];
            /** @description stages, limits and pace */
            readonly strategy: {
                [key: string]: unknown;
            };
            readonly task: string;
            /** @description every move, the first first */
            readonly transitions: components["schemas"]["Transition"][];
            /** @description every judgement that differed from the one before */
            readonly verdicts: components["schemas"]["Verdict"][];
            readonly version: string;
        };
        /** @description A move of the release, or a verdict that differed from the one before. */
        ReleaseEvent: {
            /** @description system: the release by itself */
            readonly actor: string;
            /** Format: date-time */
            readonly at: string;
            readonly kind: components["schemas"]["ReleaseEventKindEnum"];
            /** @description action of a move, kind of a verdict */
            readonly name: string;
            /** @description the stage, counted from 0 */
            readonly position: number | null;
            /** @description the state that a move led to; "" of a verdict */
            readonly state: string;
            /** @description the reason, or the verdict in a sentence */
            readonly text: string;
        };
        /** @enum {string} */
        ReleaseEventKindEnum: "move" | "verdict";
        ReleasePage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Release"][];
        };
        /** @description What a release would do, if it were made and started now. Nothing is stored of it. */
        ReleasePlan: {
            readonly app: string;
            /** @description whether somebody else has to approve it */
            readonly approval: boolean;
            /**
             * Format: double
             * @description seconds that all stages take at least, pauses and nights left out
             */
            readonly at_least_s: number;
            /** @description of these, that have the version already */
            readonly installed: components["schemas"]["Counted"];
            /** @description devices that the rule matches */
            readonly matched: components["schemas"]["Counted"];
            /** @description whose version devices go back to if it is rolled back */
            readonly replaces: components["schemas"]["OtherRelease"] | null;
            readonly rule: {
                [key: string]: unknown;
            };
            readonly simulation: components["schemas"]["PlannedSimulation"];
            readonly stages: components["schemas"]["PlannedStage"][];
            /** @description with all that was left out */
            readonly strategy: {
                [key: string]: unknown;
            };
            readonly supersedes: components["schemas"]["Superseded"][];
            readonly task: string;
            /** @description about how many devices the app has */
            readonly total: number;
            readonly version: string;
            /** @description what is probably not meant */
            readonly warnings: string[];
        };
        /** @description A release over time: counts that only grow, at 240 moments or fewer. */
        ReleaseSeries: {
            /** @description the moments, in Unix seconds */
            readonly at: number[];
            /**
             * Format: double
             * @description how likely that is, at all moments together
             */
            readonly confidence: number;
            readonly control: components["schemas"]["ArmSeries"];
            /**
             * Format: date-time
             * @description when devices were counted; null: now. Many are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description in order; the newest 200 */
            readonly events: components["schemas"]["ReleaseEvent"][];
            /** @description and at most this */
            readonly high: number[];
            /**
             * Format: double
             * @description the release fails when `low` reaches this failure rate
             */
            readonly limit: number;
            /** @description treatment's failure rate is at least this, */
            readonly low: number[];
            /** @description seconds between two moments; 0: it has met no device */
            readonly step_s: number;
            /** @description after so many outcomes */
            readonly stop_after: number;
            /**
             * Format: double
             * @description it fails at this rate
             */
            readonly stop_rate: number;
            readonly treatment: components["schemas"]["ArmSeries"];
        };
        /** @enum {string} */
        ReleaseState: "draft" | "simulating" | "awaiting-approval" | "running" | "paused" | "complete" | "rejected" | "superseded" | "aborted" | "rolled-back";
        Report: {
            readonly app: string;
            readonly device: string;
            /** Format: double */
            readonly duration_ms: number | null;
            /** @description empty: none */
            readonly error_class: string;
            /** @description whether it counts for verdicts */
            readonly evidence: boolean;
            /**
             * Format: uuid
             * @description given by the device
             */
            readonly id: string;
            readonly kind: components["schemas"]["ReportKind"];
            readonly manifest: string;
            readonly message: string;
            readonly metrics: {
                [key: string]: unknown;
            };
            /** @description number of the table that offered it */
            readonly number: number | null;
            readonly outcome: components["schemas"]["ReportOutcome"];
            readonly output: {
                [key: string]: unknown;
            } | null;
            /** Format: int64 */
            readonly peak_memory_kb: number | null;
            /** Format: date-time */
            readonly received_at: string;
            /** @description release that offered it; null: no proof of an offer */
            readonly release: number | null;
            /**
             * Format: date-time
             * @description by the device's clock
             */
            readonly reported_at: string;
            readonly stage: number | null;
            /** @description of a run: cold or warm; empty: not said */
            readonly start: string;
            readonly task: string;
            readonly version: string;
            /** @description why the kept VM before this run had ended */
            readonly vm_end: string;
        };
        /** @enum {string} */
        ReportKind: "install" | "run" | "remove";
        /** @enum {string} */
        ReportOutcome: "success" | "failure";
        ReportPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Report"][];
        };
        /** @enum {string} */
        Role: "viewer" | "developer" | "releaser" | "owner";
        /** @description What rolling back a release would do, if it were done now. */
        RollbackPlan: {
            /**
             * Format: date-time
             * @description when they were counted; null: now. Many are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description of the app that have the version now, whichever release brought it */
            readonly devices: number;
            /** @description that decide about its devices then, the newest first */
            readonly goes_back_to: components["schemas"]["OtherRelease"][];
            /** @description of the same version, on their way, that go no further */
            readonly held: components["schemas"]["SameVersion"][];
            /** @description whether it is there already */
            readonly is_quarantined: boolean;
            /** @description whether devices about which none of them decides lose the task */
            readonly lose_it: boolean;
            /** @description goes into quarantine */
            readonly version: string;
            /** @description that brought devices the same version, which the quarantine takes from them */
            readonly withdrawn: components["schemas"]["SameVersion"][];
        };
        RotationRequest: {
            /**
             * @description for so long the secret before signs too
             * @default 24
             */
            overlap_hours: number;
        };
        RuleFault: {
            /** @description what should be there */
            readonly expected: string;
            /** @description place in the rule, such as rule.any[1].fact */
            readonly path: string;
        };
        RuleToPreviewRequest: {
            /**
             * @description count every device, however long that takes
             * @default false
             */
            exact: boolean;
            /** @description which devices; docs/guides/targeting.md has the forms of rules */
            rule: {
                [key: string]: unknown;
            };
        };
        RuleToValidateRequest: {
            /** @description which devices; docs/guides/targeting.md has the forms of rules */
            rule: {
                [key: string]: unknown;
            };
        };
        /** @description What is wrong with a rule, and what it asks for. */
        RuleValidation: {
            /** @description single devices that it names */
            readonly devices: number;
            readonly facts: components["schemas"]["FactAsked"][];
            readonly faults: components["schemas"]["RuleFault"][];
            readonly lists: components["schemas"]["ListAsked"][];
            /** @description whether a release by it would be accepted */
            readonly valid: boolean;
        };
        /** @description What rules can say of facts. */
        RuleVocabulary: {
            /** @description beside those that apps declare */
            readonly facts: components["schemas"]["BuiltInFact"][];
            readonly operators: components["schemas"]["Operator"][];
            readonly types: components["schemas"]["FactType"][];
        };
        /** @description Half, nine tenths and 99 of 100 values are at most so large, to within 9 %. */
        RunQuantiles: {
            /** Format: double */
            readonly p50: number;
            /** Format: double */
            readonly p90: number;
            /** Format: double */
            readonly p99: number;
        };
        /** @description Another release of the version. */
        SameVersion: {
            readonly app: string;
            readonly release: number;
            readonly state: components["schemas"]["ReleaseState"];
            readonly version: string;
        };
        Scenario: {
            /** @description every release has to be approved by somebody else than who made it */
            readonly approval_required: boolean;
            /** Format: date-time */
            readonly created_at: string;
            readonly description: string;
            readonly slug: string;
            readonly task_count: number;
        };
        ScenarioPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Scenario"][];
        };
        /** @description The session of a browser. */
        Session: {
            /** @description null: nobody is logged in */
            readonly user: components["schemas"]["SessionUser"] | null;
        };
        /** @description Who is logged in. */
        SessionUser: {
            /** @description site staff may do everything */
            readonly staff: boolean;
            readonly username: string;
        };
        SimulatedSample: {
            /** Format: double */
            readonly cpu_ms: number;
            /** Format: double */
            readonly duration_ms: number;
            /** @description walls that stood, and on what */
            readonly enforced: {
                [key: string]: string;
            };
            /** @description null: the run itself succeeded */
            readonly error_class: string | null;
            readonly message: string | null;
            /** @description expectations that do not hold */
            readonly mismatches: string[];
            readonly name: string;
            readonly passed: boolean;
            /** @description largest resident memory, the interpreter included */
            readonly peak_memory_kb: number;
        };
        /** @description The newest simulation of a release, or the one that was asked for. */
        Simulation: {
            /** @description which simulation of the release it is; 0: there was none yet */
            readonly attempt: number;
            readonly budget: components["schemas"]["SimulationBudget"];
            readonly cells: components["schemas"]["SimulationCell"][];
            /** @description null: there was none yet */
            readonly kind: components["schemas"]["SimulationKind"] | components["schemas"]["NullEnum"];
            readonly sentence: string;
        };
        /** @description What the scenario has of the workers that simulate, and what its waiting cells wait for. */
        SimulationBudget: {
            /** @description how many may be */
            readonly at_once: number;
            /**
             * Format: date-time
             * @description when another cell may start at the earliest; null: when one under way has ended
             */
            readonly free_at: string | null;
            /** @description what its waiting cells wait for; empty: none waits */
            readonly reason: string;
            /** @description cells under way, of all its releases */
            readonly running: number;
            readonly scenario: string;
            /**
             * Format: double
             * @description how many they may take
             */
            readonly seconds_per_hour: number;
            /**
             * Format: double
             * @description seconds that its cells took within the last hour
             */
            readonly spent_s: number;
            /** @description cells that wait for their turn, of all its releases */
            readonly waiting: number;
        };
        SimulationCell: {
            readonly app_version: string;
            /** Format: date-time */
            readonly finished_at: string | null;
            readonly id: number;
            /** @description the lesser of the task's limits and the profile's */
            readonly limits: {
                [key: string]: number;
            };
            /** @description what the samples wrote, the failed ones first, up to 16 KiB */
            readonly logs: string;
            readonly os: string;
            readonly os_version: string;
            /** @description what the task found there; empty: no profile is declared */
            readonly profile: {
                [key: string]: unknown;
            };
            readonly samples: components["schemas"]["SimulatedSample"][];
            readonly sentence: string;
            /** Format: date-time */
            readonly started_at: string | null;
            readonly state: components["schemas"]["SimulationCellState"];
        };
        /** @enum {string} */
        SimulationCellState: "pending" | "passed" | "failed" | "excluded" | "error";
        /** @enum {string} */
        SimulationKind: "pending" | "pass" | "fail" | "error";
        /** @enum {string} */
        SourceEnum: "device" | "user";
        SpanRequest: {
            /**
             * Format: date-time
             * @description whose first check-in was earlier than then; now if left out
             */
            first_seen_before?: string;
            /**
             * Format: date-time
             * @description whose first check-in was then or later
             */
            first_seen_since: string;
        };
        Stage: {
            /** Format: date-time */
            readonly entered_at: string | null;
            readonly id: number;
            readonly id_list: string;
            readonly kind: components["schemas"]["StageKind"];
            /** Format: date-time */
            readonly left_at: string | null;
            readonly position: number;
            /** @description millionths of the eligible devices */
            readonly share: number;
        };
        /** @enum {string} */
        StageKind: "beta" | "gray";
        /** @description Cold runs or warm ones. */
        StartRuns: {
            /** @description null: no run says how long it took */
            readonly duration_ms: components["schemas"]["RunQuantiles"] | null;
            readonly failed: number;
            /** @description null: no run says how much it held */
            readonly peak_memory_kb: components["schemas"]["RunQuantiles"] | null;
            readonly runs: number;
        };
        /** @description An older release of the task that would end. */
        Superseded: {
            readonly release: number;
            readonly state: components["schemas"]["ReleaseState"];
            readonly version: string;
            /** @description of the new release */
            readonly when: components["schemas"]["WhenEnum"];
        };
        SystemDevices: {
            /** @description that have ever checked in and are not revoked */
            readonly known: number;
            /** @description of these, seen in the last two minutes */
            readonly online: number;
            readonly os: string;
            readonly os_version: string;
            /** @description of these, with any task installed */
            readonly with_tasks: number;
        };
        /** @description What gateways answer the app's devices from. */
        Table: {
            /** @description by region; the empty one is all others */
            readonly bases: {
                [key: string]: components["schemas"]["Bases"];
            };
            /** @description releases in order of precedence */
            readonly entries: components["schemas"]["TableEntry"][];
            /** @description seconds between two check-ins of an idle device */
            readonly interval: number;
            readonly number: number;
            /** Format: date-time */
            readonly published_at: string;
            /** @description retired tasks, which devices give up */
            readonly removals: string[];
            /** @description pairs of a task and a manifest that was rolled back, which devices give up */
            readonly withdrawn: string[][];
        };
        TableEntry: {
            /** @description millionths held back for comparison */
            readonly control: number;
            /** @description whether it has files of its own for some devices */
            readonly exclusive: boolean;
            /** @description digest of the manifest that eligible devices get */
            readonly manifest: string;
            /** @description offer; hold: a pause, nobody gets it; keep: it ended, who has it keeps it */
            readonly mode: components["schemas"]["ModeEnum"];
            /** @description whether draws are logged */
            readonly observed: boolean;
            /** @description Unix seconds at which its time window closes */
            readonly open_until: number | null;
            /** @description offers per second of all gateways together */
            readonly pace: number | null;
            readonly release: number;
            /** @description which devices are eligible */
            readonly rule: {
                [key: string]: unknown;
            };
            /** @description millionths of the eligible devices */
            readonly share: number;
            readonly stage: number;
            readonly task: string;
        };
        Task: {
            /** Format: date-time */
            readonly created_at: string;
            /** @description <scenario>/<task> */
            readonly name: string;
            /**
             * Format: date-time
             * @description null: it may be released
             */
            readonly retired_at: string | null;
            readonly scenario: string;
            readonly slug: string;
            readonly version_count: number;
        };
        TaskPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Task"][];
        };
        /** @description How a task has run lately. */
        TaskRuns: {
            /** @description all devices; os and performance are empty */
            readonly all: components["schemas"]["ClassRuns"];
            /** @description each class of devices, the most runs first */
            readonly classes: components["schemas"]["ClassRuns"][];
            /**
             * Format: date-time
             * @description runs are counted from then on
             */
            readonly since: string;
        };
        TaskVersion: {
            readonly author_email: string;
            readonly author_name: string;
            readonly commit: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @description what runs it: every device, or an engine */
            readonly kind: string;
            /** @description by which devices know the version */
            readonly manifest_digest: string;
            readonly message: string;
            /** @description id of the key that signed the envelope */
            readonly signed_by: string;
            /** @description git tag */
            readonly tag: string;
            /** Format: date-time */
            readonly tagged_at: string;
            readonly task: string;
            /**
             * Format: int64
             * @description bytes of all shared files
             */
            readonly total_size: number;
            readonly version: string;
        };
        TaskVersionDetail: {
            readonly author_email: string;
            readonly author_name: string;
            readonly commit: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly files: components["schemas"]["VersionFile"][];
            /** @description what runs it: every device, or an engine */
            readonly kind: string;
            /** @description The signed payload. */
            readonly manifest: {
                [key: string]: unknown;
            };
            /** @description by which devices know the version */
            readonly manifest_digest: string;
            readonly message: string;
            /** @description why it may not be released */
            readonly quarantine: components["schemas"]["Quarantine"] | null;
            /** @description id of the key that signed the envelope */
            readonly signed_by: string;
            /** @description git tag */
            readonly tag: string;
            /** Format: date-time */
            readonly tagged_at: string;
            readonly task: string;
            /**
             * Format: int64
             * @description bytes of all shared files
             */
            readonly total_size: number;
            readonly version: string;
        };
        TaskVersionPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["TaskVersion"][];
        };
        /** @description A token without its secret, which nobody can show again. */
        Token: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at: string | null;
            /** Format: date-time */
            readonly last_used_at: string | null;
            /** @description what the token is for, in the words of its owner */
            readonly name: string;
            /** @description empty: everything its user may do */
            readonly permissions: string[];
            /** @description the token's public beginning */
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at: string | null;
            /** @description empty: everywhere */
            readonly scopes: string[];
        };
        TokenPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Token"][];
        };
        Transition: {
            readonly action: components["schemas"]["ReleaseAction"];
            readonly actor: string;
            readonly after: components["schemas"]["ReleaseState"];
            /** Format: date-time */
            readonly at: string;
            readonly before: components["schemas"]["ReleaseState"];
            readonly evidence: {
                [key: string]: unknown;
            };
            readonly position_after: number | null;
            readonly position_before: number | null;
            readonly reason: string;
        };
        /** @enum {string} */
        TypeEnum: "text" | "number" | "boolean" | "version";
        /** @description A release that was started and has not ended. */
        UnderWay: {
            readonly app: string;
            readonly id: number;
            /**
             * Format: date-time
             * @description its last move
             */
            readonly moved_at: string | null;
            readonly reached: components["schemas"]["Reached"];
            /** @description null: it has met no device yet */
            readonly stage: components["schemas"]["PresentStage"] | null;
            /** @description how many it has */
            readonly stages: number;
            readonly state: components["schemas"]["ReleaseState"];
            readonly task: string;
            readonly version: string;
        };
        /** @enum {string} */
        UrgencyEnum: "now" | "soon" | "later";
        UserFacts: {
            readonly device: string;
            readonly facts: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            readonly updated_at: string;
        };
        UserFactsPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["UserFacts"][];
        };
        /** @description The content of an exclusive file for one key. */
        Variant: {
            readonly digest: string;
            readonly key: string;
            readonly path: string;
            /** @description id of the key that signed the statement */
            readonly signed_by: string;
            /** Format: int64 */
            readonly size: number;
            /** Format: date-time */
            readonly uploaded_at: string;
            readonly uploaded_by: string | null;
        };
        VariantPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Variant"][];
        };
        VariantUploadRequest: {
            /** Format: binary */
            file: string;
        };
        Verdict: {
            /** Format: date-time */
            readonly at: string;
            /** @description the figures and what each test made of them */
            readonly evidence: {
                [key: string]: unknown;
            };
            readonly kind: components["schemas"]["VerdictKindEnum"];
            readonly sentence: string;
            readonly stage: number;
        };
        /** @enum {string} */
        VerdictKindEnum: "pass" | "fail" | "error" | "inconclusive";
        VersionDiff: {
            readonly base: string;
            /** @description what changed in task.toml */
            readonly fields: components["schemas"]["FieldChange"][];
            readonly files: components["schemas"]["FileChange"][];
            readonly task: string;
            readonly version: string;
        };
        VersionFile: {
            /** @description shared file that stands in for a missing variant */
            readonly default: string;
            /** @description SHA-256 of a shared file */
            readonly digest: string | null;
            readonly kind: components["schemas"]["FileKind"];
            readonly path: string;
            /** Format: int64 */
            readonly size: number | null;
            /** @description how facts make the variant key of an exclusive file */
            readonly template: string;
            readonly variant_count: number;
        };
        VmEnd: {
            /** @description killed stands for all signals, other for causes that are not known */
            readonly cause: string;
            readonly count: number;
        };
        /** @description A webhook without its secret, which nobody can show again. */
        Webhook: {
            /** @description an inactive webhook hears nothing, not even later */
            readonly active: boolean;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            readonly description: string;
            readonly events: string[];
            /**
             * Format: date-time
             * @description the first failure after the last success
             */
            readonly failing_since: string | null;
            readonly id: number;
            readonly inactive_reason: string;
            /**
             * Format: date-time
             * @description until then the secret before the present one signs too; null: none does
             */
            readonly previous_until: string | null;
            /** @description such as scenario:camera or app:shop; site stands for all there are */
            readonly scope: string;
            /** @description where events are sent to; who knows it may be all it takes */
            readonly url: string;
        };
        WebhookPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Webhook"][];
        };
        /** @enum {string} */
        WhenEnum: "first-devices" | "complete";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_apps: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_app: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAppRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedAppChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["App"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_app_bases: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionBasePage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_app_base: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRegionBaseRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionBase"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_facts: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredFactPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    declare_fact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of a fact, such as app_theme or user.age_band */
                fact: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FactDeclarationRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredFact"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdraw_fact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of a fact, such as app_theme or user.age_band */
                fact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_app_keys: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppKeyPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_app_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAppKeyRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAppKey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_app_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description number of an app's key */
                key: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppKey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_id_lists: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdListPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_id_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of an id list of an app */
                id_list: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdList"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_id_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of an id list of an app */
                id_list: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewIdListRequest"];
                "text/plain": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_id_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of an id list of an app */
                id_list: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_to_id_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of an id list of an app */
                id_list: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DevicesRequest"];
                "text/plain": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_id_list_devices: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of an id list of an app */
                id_list: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdListMemberPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_from_id_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description name of an id list of an app */
                id_list: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DevicesRequest"];
                "text/plain": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_app_members: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_app_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMemberRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_app_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description role */
                role: "developer" | "owner" | "releaser" | "viewer";
                /** @description user name */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reinstate_newcomers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpanRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Newcomers"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_newcomers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpanRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Newcomers"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_app_scenarios: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryGrantPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_app_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryGrant"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    allow_app_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewDeliveryGrantRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryGrant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdraw_app_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_app_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Table"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_targeting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleToPreviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validate_targeting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleToValidateRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleValidation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_user_facts: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserFactsPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_many_user_facts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ManyUserFactsRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Count"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_user_facts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserFacts"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_user_facts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUserFactsRequest"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    clear_user_facts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_app_versions: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppVersionPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAppVersionRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppVersion"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description version of an app, such as 1.0.0 */
                app_version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedAppVersionChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppVersion"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_audit: {
        parameters: {
            query?: {
                /** @description such as release.start */
                action?: string;
                /** @description user name, or system */
                actor?: string;
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
                object_id?: string;
                /** @description such as tasks_app.release */
                object_type?: string;
                scope?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_devices: {
        parameters: {
            query?: {
                app?: string;
                /** @description as the device says */
                app_version?: string;
                /** @description `next` of the page before */
                cursor?: string;
                /** @description the whole id */
                device?: string;
                /** @description any other fact, one by one: fact.model=Pixel 8, fact.user.age_band=18-29; 8 also means the number, true also the boolean */
                facts?: {
                    [key: string]: string;
                };
                /** @description whose first check-in was earlier than then */
                first_seen_before?: string;
                /** @description whose first check-in was then or later */
                first_seen_since?: string;
                /** @description most results on the page */
                limit?: number;
                /** @description as the device says */
                os?: string;
                /** @description the beginning of the id */
                q?: string;
                revoked?: boolean;
                /** @description a targeting rule in JSON; takes app, whose lists it may name */
                rule?: string;
                /** @description whose last check-in was earlier than then */
                seen_before?: string;
                /** @description whose last check-in was then or later */
                seen_since?: string;
                /** @description installed task, <scenario>/<task> */
                task?: string;
                /** @description installed version of the task */
                version?: string;
                /** @description whether the app's backend vouches for it */
                vouched?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DevicePage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceDetail"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explain_device: {
        parameters: {
            query?: {
                /** @description <scenario>/<task>; left out: all */
                task?: string;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceExplanation"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reinstate_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_device_timeline: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of an app */
                app: string;
                /** @description id of a device within its app */
                device: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    count_devices: {
        parameters: {
            query?: {
                app?: string;
                /** @description as the device says */
                app_version?: string;
                /** @description the whole id */
                device?: string;
                /** @description count every device, however long that takes */
                exact?: boolean;
                /** @description any other fact, one by one: fact.model=Pixel 8, fact.user.age_band=18-29; 8 also means the number, true also the boolean */
                facts?: {
                    [key: string]: string;
                };
                /** @description whose first check-in was earlier than then */
                first_seen_before?: string;
                /** @description whose first check-in was then or later */
                first_seen_since?: string;
                /** @description as the device says */
                os?: string;
                /** @description the beginning of the id */
                q?: string;
                revoked?: boolean;
                /** @description a targeting rule in JSON; takes app, whose lists it may name */
                rule?: string;
                /** @description whose last check-in was earlier than then */
                seen_before?: string;
                /** @description whose last check-in was then or later */
                seen_since?: string;
                /** @description installed task, <scenario>/<task> */
                task?: string;
                /** @description installed version of the task */
                version?: string;
                /** @description whether the app's backend vouches for it */
                vouched?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCount"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_fleet: {
        parameters: {
            query?: {
                /** @description of this app only; all that you may see if left out */
                app?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_fleet_pulse: {
        parameters: {
            query?: {
                /** @description of this app only; all that you may see if left out */
                app?: string;
                /** @description how far back */
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pulse"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_releases: {
        parameters: {
            query?: {
                app?: string;
                /** @description `next` of the page before */
                cursor?: string;
                /** @description these releases: up to 200 numbers, with commas between them */
                id?: string;
                /** @description most results on the page */
                limit?: number;
                state?: "draft" | "simulating" | "awaiting-approval" | "running" | "paused" | "complete" | "rejected" | "superseded" | "aborted" | "rolled-back";
                /** @description <scenario>/<task> */
                task?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleasePage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_release: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewReleaseRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseDetail"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    move_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description what to do */
                action: "abort" | "approve" | "complete" | "pause" | "promote" | "reject" | "resume" | "roll-back" | "start";
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    clone_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CloneRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_release_devices: {
        parameters: {
            query?: {
                arm?: "treatment" | "control";
                became?: "drawn" | "offered" | "installed" | "healthy" | "failed" | "silent";
                /** @description `next` of the page before */
                cursor?: string;
                /** @description of a failure */
                error_class?: string;
                /** @description most results on the page */
                limit?: number;
                /** @description counted from 0 */
                stage?: number;
            };
            header?: never;
            path: {
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DrawnDevicePage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    plan_rollback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RollbackPlan"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_release_series: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseSeries"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_simulation: {
        parameters: {
            query?: {
                /** @description the newest if left out */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simulation"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    simulate_again: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Simulation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_simulation_log: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a cell of a simulation */
                cell: number;
                /** @description number of a release */
                release: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    plan_release: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewReleaseRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleasePlan"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_reports: {
        parameters: {
            query?: {
                app?: string;
                /** @description received earlier than then */
                before?: string;
                /** @description `next` of the page before */
                cursor?: string;
                device?: string;
                /** @description such as MemoryError */
                error_class?: string;
                evidence?: boolean;
                kind?: "install" | "run" | "remove";
                /** @description most results on the page */
                limit?: number;
                outcome?: "success" | "failure";
                release?: number;
                /** @description received then or later */
                since?: string;
                /** @description <scenario>/<task> */
                task?: string;
                version?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_rule_vocabulary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleVocabulary"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_scenarios: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
                /** @description in the slug or the description */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScenarioPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewScenarioRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scenario"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scenario"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedScenarioChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scenario"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_scenario_apps: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryGrantPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_scenario_members: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_scenario_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMemberRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_scenario_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description role */
                role: "developer" | "owner" | "releaser" | "viewer";
                /** @description slug of a scenario */
                scenario: string;
                /** @description user name */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_tasks: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
                /** @description in the name, <scenario>/<task> */
                q?: string;
                /** @description only those that are retired, or are not */
                retired?: boolean;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    log_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    log_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_all_tasks: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
                /** @description in the name, <scenario>/<task> */
                q?: string;
                /** @description only those that are retired, or are not */
                retired?: boolean;
                scenario?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_installed_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installed"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retire_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_task_runs: {
        parameters: {
            query?: {
                /** @description how far back */
                days?: number;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskRuns"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unretire_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_versions: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskVersionPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskVersionDetail"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    download_version: {
        parameters: {
            query?: {
                /** @description with the files of its samples, which need not be among those that devices install */
                samples?: boolean;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    register_version: {
        parameters: {
            query?: {
                /** @description of the commit and the tag; the tag's name if left out */
                message?: string;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/gzip": string;
                "application/octet-stream": string;
                "application/x-tar": string;
                "application/zip": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskVersionDetail"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskVersionDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diff_versions: {
        parameters: {
            query?: {
                /** @description the next lower version if left out */
                base?: string;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDiff"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    download_file: {
        parameters: {
            query: {
                /** @description path of a shared file of the version */
                path: string;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    lift_quarantine: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuarantineEndRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskVersionDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_variants: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                key?: string;
                /** @description most results on the page */
                limit?: number;
                path?: string;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariantPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upload_variant: {
        parameters: {
            query: {
                /** @description what the file's template makes of facts */
                key: string;
                /** @description path of an exclusive file of the version */
                path: string;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/octet-stream": string;
                "multipart/form-data": components["schemas"]["VariantUploadRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Variant"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_variant: {
        parameters: {
            query: {
                /** @description what the file's template makes of facts */
                key: string;
                /** @description path of an exclusive file of the version */
                path: string;
            };
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a task within its scenario */
                task: string;
                /** @description version of a task, such as 1.0.0 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_tokens: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    issue_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTokenRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description a token's public beginning, such as wl_0123abcd */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_webhooks: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description most results on the page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhookRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhook"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedWebhookChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_deliveries: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description such as release.start */
                event?: string;
                /** @description most results on the page */
                limit?: number;
                sequence?: number;
                state?: "pending" | "sending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a delivery of the webhook */
                delivery: number;
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            /** @description You have it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replay_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a delivery of the webhook */
                delivery: number;
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ping_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotate_webhook_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a webhook */
                webhook: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotationRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhook"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
