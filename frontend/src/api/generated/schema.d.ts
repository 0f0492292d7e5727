/* Generated from the OpenAPI document by `make client`; not to be edited. */
export interface paths {
    "/api/v1/account/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return which events reach you by e-mail, at which address, and what became of the last message
         * @description Needs to be signed in.
         */
        get: operations["get_mail_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change which events reach you by e-mail
         * @description Fields that are left out keep their values. You hear of what you may read when it is sent, and not of what you
         *     did yourself. A limited token is refused.
         *
         *     Needs to be signed in.
         */
        patch: operations["change_mail_settings"];
        trace?: never;
    };
    "/api/v1/account/mail/address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your address: a link is sent to it, and it counts once you have followed that
         * @description An empty one takes the present one away at once. Five links an hour at most.
         *
         *     Needs a session.
         */
        put: operations["put_mail_address"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/mail/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm your new address, by what the link that was sent to it carries; again changes nothing
         * @description Needs a session.
         */
        post: operations["confirm_mail_address"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/account/mail/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a test message sent to your address; `last` of your settings shows what became of it
         * @description Five an hour at most. A limited token is refused.
         *
         *     Needs to be signed in.
         */
        post: operations["send_test_mail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the apps you may see, by slug
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
         * Return one app
         * @description Needs a role in the app.
         */
        get: operations["get_app"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an app's name, check-in interval or enrolment limit
         * @description Fields that are left out keep their values. The app's table is published again, because it contains the
         *     interval.
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
         * List the base URLs from which the app's devices download, by region
         * @description Needs a role in the app.
         */
        get: operations["list_app_bases"];
        put?: never;
        /**
         * Set the base URLs from which devices of one region download, replacing earlier ones
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
         * List the facts that the app declares, the last declared first; facts of every device are not among them
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
         * Declare a fact, so that targeting rules may use it
         * @description An earlier declaration is replaced. The type cannot change while a release uses the fact.
         *
         *     Needs `manage keys` in the app.
         */
        put: operations["declare_fact"];
        post?: never;
        /**
         * Withdraw a declaration; refused while a release uses the fact
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
         * List the app's keys, newest first, including revoked ones, without their texts
         * @description Needs a role in the app.
         */
        get: operations["list_app_keys"];
        put?: never;
        /**
         * Create an enrol or gateway key, or register a backend key
         * @description The text of an enrol or gateway key is only in this answer.
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
         * Revoke a key
         * @description From now on nobody enrols, reads tables or signs facts with it. Devices that enrolled with it keep their
         *     credentials. Revoking it again changes nothing.
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
         * List the app's id lists, by name
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
         * Return one id list, without its devices
         * @description Needs a role in the app.
         */
        get: operations["get_id_list"];
        /**
         * Replace the devices of a list, at most 100000; the list is created if it does not exist
         * @description The body is JSON, or text with one device id per line. Devices need not be known yet.
         *
         *     Needs `release` in the app.
         */
        put: operations["put_id_list"];
        post?: never;
        /**
         * Delete a list; refused while a release uses it
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
         * Add devices to a list; those already in it change nothing
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
         * List the devices of a list, the last added first
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
         * Remove devices from a list; those not in it change nothing
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
         * List the roles held in the app, the oldest first
         * @description Needs a role in the app.
         */
        get: operations["list_app_members"];
        put?: never;
        /**
         * Grant a user a role in the app; a role that the user already has changes nothing
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
         * Withdraw a role in the app; that of the only owner is refused
         * @description Needs `manage members` in the app.
         */
        delete: operations["remove_app_member"];
        options?: never;
        head?: never;
        /**
         * Exchange a role in the app for another one; that of the only owner is refused
         * @description Needs `manage members` in the app.
         */
        patch: operations["change_app_member"];
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
         * Revoke the devices that registered in a time range with an app key alone
         * @description Devices that the app's backend vouches for are not affected. A worker does it within seconds. Then the
         *     credentials of the others are no longer valid, and they cannot enrol again under their ids.
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
         * List the scenarios that may deliver to the app, the last granted first
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
         * Return the grant of one scenario to deliver to the app; 404 if there is none
         * @description Needs a role in the app.
         */
        get: operations["get_app_scenario"];
        /**
         * Allow a scenario to deliver to the app; the body replaces an earlier grant
         * @description Anybody who may release in the scenario and sees the app can then release its versions to the app's devices. You
         *     have to see the scenario too.
         *
         *     Needs `manage members` in the app.
         */
        put: operations["allow_app_scenario"];
        post?: never;
        /**
         * Withdraw the grant of a scenario to deliver to the app
         * @description Its releases to the app in progress pause; they can be aborted and rolled back, and resume only once it may
         *     deliver again. What is complete stays until it is rolled back.
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
         * Return the table from which gateways answer the app's devices, without signatures and salts
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
         * @description Devices count by the facts of their last check-in. For a large fleet the counts are estimates from a sample,
         *     unless you ask for exact ones. A rule that would be refused in a release is refused here too.
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
         * List all faults of a rule, each with its place, and what the rule uses
         * @description Nothing is stored and no device is read: it is fast enough to be called while somebody types.
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
         * List what the cloud holds about the users of the app's devices
         * @description Needs a role in the app.
         */
        get: operations["list_user_facts"];
        put?: never;
        /**
         * Hold facts about the users of many devices at once, at most 10000
         * @description The facts of a device replace all that were held for it. They count in rules as `user.<name>` and for exclusive
         *     files, and take precedence over the facts in a device's credential. Either all are stored or none.
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
         * Return what the cloud holds about the user of one device
         * @description Needs a role in the app.
         */
        get: operations["get_user_facts"];
        /**
         * Hold facts about the user of one device, replacing earlier ones
         * @description The device need not be known yet. Without any fact nothing is held any more.
         *
         *     Needs `issue device credentials` in the app.
         */
        put: operations["set_user_facts"];
        post?: never;
        /**
         * Delete all facts held about the user of one device
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
         * List the app's declared versions, newest first
         * @description Needs a role in the app.
         */
        get: operations["list_app_versions"];
        put?: never;
        /**
         * Declare a version of the app, so that releases can target it
         * @description A version that is known already is answered in the same way; a profile in the body replaces its profile.
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
         * Declare what tasks find in a version of the app. Simulations use it from now on
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
         * List who did what, newest first
         * @description The entries are those of the scopes in which you hold a role, and your own; site staff see all. A page may hold
         *     fewer than `limit` entries, or none, although others follow; `next` is null only at the end.
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
         * List the devices of the apps you may see, the last registered first
         * @description A page may hold fewer than `limit` devices, or none, although others follow: where few devices match and no
         *     index leads to them, each page searches a part of the fleet. `next` is null only at the end.
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
         * Return one device with its installed tasks and its newest reports
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
         * Explain which release decides about each task on a device, and why the others do not
         * @description The decision is made as at a check-in, from the facts and tasks of the device's last check-in; with `at`, as at
         *     a check-in then, from what was released then and what the device said of itself.
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
         * Reinstate a revoked device
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
         * Revoke a device
         * @description Its credential is no longer valid, and it cannot enrol again under its id. It keeps what it has installed, and
         *     hears of no new version and of no rollback.
         *
         *     Needs `manage keys` in the app.
         */
        post: operations["revoke_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/{app}/{device}/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return what each stream task cost a device during the last day, and its newest features
         * @description Of a device that sends very many reports, the newest 2000 are counted.
         *
         *     Needs a role in the app.
         */
        get: operations["get_device_streams"];
        put?: never;
        post?: never;
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
         * List the history of a device, newest event first
         * @description It has the first and the last check-in, the releases that selected the device, what it installed, ran and
         *     removed, and when it was revoked or reinstated.
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
         * Count the matching devices of the apps you may see
         * @description For a large fleet this is an estimate from a sample, unless there are few or you ask for an `exact` count.
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
    "/api/v1/features": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the features that devices sent, newest first
         * @description They are those of the apps you may see, and those of tasks of the scenarios you may see. A page may hold fewer
         *     than `limit`, or none, although others follow; `next` is null only at the end.
         *
         *     Needs to be signed in.
         */
        get: operations["list_features"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/features/{feature}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return one feature with all of its values
         * @description Needs a role in the app or in the task's scenario.
         */
        get: operations["get_feature"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/features/arrivals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the features that were stored after a cursor, oldest first, to follow them as they arrive
         * @description Without a cursor nothing is listed, and `next` leads to what is stored from now on. None is left out and none
         *     comes twice, in whatever order transactions end. If `next` is the cursor itself, there is nothing new yet.
         *
         *     Needs to be signed in.
         */
        get: operations["list_feature_arrivals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/features/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return who reads the features, and how many each has not read yet
         * @description A consumer of one app or task is shown to those who may see that; one of everything to staff.
         *
         *     Needs to be signed in.
         */
        get: operations["get_feature_consumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/features/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download features in the order in which they were stored, as newline JSON or as a Parquet file
         * @description A line of newline JSON is a feature with all of its values; a Parquet file has them as JSON. The header
         *     `Walle-Until` is the cursor up to which the answer goes: the next export begins there. After a lost connection,
         *     newline JSON goes on with the `cursor` of its last whole line. Two exports of yours may be under way at a time.
         *
         *     Needs to be signed in.
         */
        get: operations["export_features"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/features/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return how many features arrived in the past minutes or hours, their bytes and their delays
         * @description They are counted by the minute when they are stored. A step is included once it is over.
         *
         *     Needs to be signed in.
         */
        get: operations["get_feature_rates"];
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
         * Return the fleet at a glance: devices, rates, releases in progress, and what needs attention
         * @description It covers the apps and releases that you may see, or one app.
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
    "/api/v1/fleet/attention/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell everybody who sees it that you know of something that needs attention, and what is done about it
         * @description It stays acknowledged as long as it lasts. If it begins again later, it needs attention again.
         *
         *     Needs `acknowledge` in its scope.
         */
        post: operations["acknowledge_concern"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/attention/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the acknowledgement of something that needs attention back
         * @description Needs `acknowledge` in its scope.
         */
        post: operations["reopen_concern"];
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
         * Return what the devices of the apps you may see did per second, in the past minutes or hours
         * @description All gateways count it when they store it, and it is kept for two days. A step is included once it is over.
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
         * Return the sender of the request, and their permissions by scope
         * @description Needs to be signed in.
         */
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change how you want to see the dashboard
         * @description Fields that are left out keep their values. A limited token is refused.
         *
         *     Needs to be signed in.
         */
        patch: operations["change_me"];
        trace?: never;
    };
    "/api/v1/pipelines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pipelines of the scenarios you may see, the last created first
         * @description With the versions that answer callers, and the figures of the last five minutes.
         *
         *     Needs to be signed in.
         */
        get: operations["list_pipelines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pipelines/{scenario}/{task}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return one pipeline: its versions, who gets which, where each is installed, and how it goes
         * @description Needs a role in the scenario.
         */
        get: operations["get_pipeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pipelines/{scenario}/{task}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return the predictions of a pipeline by version and minute, for one day at most
         * @description Needs a role in the scenario.
         */
        get: operations["get_pipeline_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pipelines/{scenario}/{task}/versions/{version}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain how a version is compiled: its logical plan, what each rule rewrote, its physical plan
         * @description It is computed once, in the background, some seconds after the version was pushed: pending until then.
         *
         *     Needs a role in the scenario.
         */
        get: operations["explain_pipeline_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/placements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the placements of the scenarios you may see, the newest first
         * @description Needs to be signed in.
         */
        get: operations["list_placements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/placements/{placement}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return one placement with its problem and the plans that were found until now
         * @description Needs a role in the scenario.
         */
        get: operations["get_placement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/placements/{placement}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a version of a plan: what of a workflow runs on devices and what in the cloud
         * @description The server commits it to the task's branch and tags it, both in your name. All that stands against it is told
         *     at once. A version that is there already with this content is answered with 200, a new one with 201.
         *
         *     Needs `push` in the scenario.
         */
        post: operations["apply_placement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/placements/{placement}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a placement that is pending or running
         * @description Needs `simulate` in the scenario.
         */
        post: operations["cancel_placement"];
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
         * List the releases of the scenarios and to the apps you may see, newest first
         * @description Needs to be signed in.
         */
        get: operations["list_releases"];
        put?: never;
        /**
         * Draft a release of a version, in stages, to the devices of an app that a rule matches
         * @description Nothing happens before it starts.
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
         * Return one release with its stages, figures, verdicts and history
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
         * @description Devices notice it at their next check-in. A rollback withdraws the version: the newest complete release decides
         *     again, and the version goes into quarantine. To promote or complete a release whose stage has not passed, the
         *     scenario needs `complete early` in the app, and you a reason.
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
        /**
         * Return what a clone of the release would start from, without making one
         * @description Needs a role in the task's scenario or in the app.
         */
        get: operations["plan_clone"];
        put?: never;
        /**
         * Draft a release again, of the newest version that may be released unless another one is given
         * @description Devices and strategy stay the same unless others are given.
         *
         *     Needs `release` in the task's scenario, which has `deliver` in the app, and a role in the app.
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
         * List the devices that a release selected, with the outcome of each, by their ids
         * @description They are deleted some time after the release has ended. A page may hold fewer than `limit` devices, or none,
         *     although others follow; `next` is null only at the end.
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
         * Preview the rollback of a release without doing it
         * @description Of other releases of its version, only those that you may see are included.
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
         * Return a release over time: the outcomes of its devices, the bounds of its failure rate, and its events
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
         * Return the result of a release's task in each app version and system that it can reach, with logs
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
         * Return the output of the samples in one cell of a simulation, as text
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
         * Preview a release without creating it
         * @description It is checked as if it were created, and refused for the same reasons. Counts are of the devices known now.
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
         * List what devices reported, newest first
         * @description The reports are those from the apps you may see, about tasks of the scenarios you may see. A page may hold fewer
         *     than `limit` reports, or none, although others follow; `next` is null only at the end.
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
         * Return the vocabulary of rules: the types of facts, the operators, and the facts that every device has
         * @description It is enough to build a form for rules. It is the same for all apps, and changes only with Walle's version.
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
         * List the scenarios you may see, by slug
         * @description Needs to be signed in.
         */
        get: operations["list_scenarios"];
        put?: never;
        /**
         * Create a scenario with its empty git repository; you become its owner
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
         * Return one scenario
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
         * @description Fields that are left out keep their values.
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
         * List the apps that the scenario may deliver to, the last granted first
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
         * List the roles held in the scenario, the oldest first
         * @description Needs a role in the scenario.
         */
        get: operations["list_scenario_members"];
        put?: never;
        /**
         * Grant a user a role in the scenario; a role that the user already has changes nothing
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
         * Withdraw a role in the scenario; that of the only owner is refused
         * @description Needs `manage members` in the scenario.
         */
        delete: operations["remove_scenario_member"];
        options?: never;
        head?: never;
        /**
         * Exchange a role in the scenario for another one; that of the only owner is refused
         * @description Needs `manage members` in the scenario.
         */
        patch: operations["change_scenario_member"];
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
         * List the scenario's tasks, by slug
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
    "/api/v1/serving/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the processes that serve pipelines, and what the runtime of each counts
         * @description They serve all scenarios: what is said of single plans is with the pipelines.
         *
         *     Needs to be signed in.
         */
        get: operations["list_serving_hosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/serving/hosts/{host}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return what a host's runtime counted by minute, for one day at most
         * @description Needs to be signed in.
         */
        get: operations["get_serving_host_series"];
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
         * Return who is logged in, in this browser
         * @description The answer sets the cookie `csrftoken`, whose value every write of the session sends as `X-CSRFToken`.
         *
         *     Needs nothing.
         */
        get: operations["get_session"];
        put?: never;
        /**
         * Log in
         * @description The session and the CSRF token are renewed. Attempts are limited by user name and address together; a cookie of
         *     an earlier login gives a browser a limit of its own. An Idempotency-Key is ignored.
         *
         *     Needs the CSRF token.
         */
        post: operations["log_in"];
        /**
         * Log out; succeeds without a login, too
         * @description Needs the CSRF token.
         */
        delete: operations["log_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions in browsers, newest first
         * @description `seen_at` is precise to a minute. A token sees none.
         *
         *     Needs to be signed in.
         */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        /**
         * End all your sessions but the present one
         * @description Needs a session.
         */
        delete: operations["end_other_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}": {
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
         * End one of your sessions
         * @description Needs a session, and to own the one that ends.
         */
        delete: operations["end_session"];
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
         * List the tasks of the scenarios you may see, the last created first
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
         * Return one task
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
         * Count the devices that have each version of the task, in all apps
         * @description If it is on many devices, they are counted from time to time.
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
         * Retire a task: withdraw it from all devices; it accepts no new versions
         * @description Retiring it again changes nothing.
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
         * Return run times, memory and the life of VMs by class of devices, cold and warm runs apart
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
         * Unretire a task, so that it can be released again
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
         * List the task's versions, the highest first
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
         * Return one version with its files and its manifest, and why it is in quarantine, if it is
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
         * Download the files of a version that devices install, as one tar.gz, byte for byte as they ship
         * @description Variants of exclusive files are personal and not included; what devices do not install is in git only.
         *
         *     Needs a role in the scenario.
         */
        get: operations["download_version"];
        /**
         * Register a version from an archive of its files, without git
         * @description The body is a tar, plain or with gzip, or a zip, of any media type; `task.toml` lies at its top. The server
         *     commits it to the task's branch, which is created if it does not exist, and tags it, both in your name. Content
         *     that is registered already is answered with 200, a new version with 201.
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
         * Compare a version of the task with this one: files, with their text, and declarations
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
         * Download one shared file of a version, a source that devices get as bytecode, or a file of its cloud half
         * @description Variants of exclusive files are personal: nobody can read them here.
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
         * Lift the quarantine of a rolled-back version, so that it can be released again
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
         * List the variants of the version's exclusive files, the newest first
         * @description Needs a role in the scenario.
         */
        get: operations["list_variants"];
        /**
         * Set the content of an exclusive file for one key
         * @description The body is the content, of any media type, or a form with one part, `file`. It replaces other content: devices
         *     that install from then on get it.
         *
         *     Needs `upload variants` in the scenario.
         */
        put: operations["upload_variant"];
        post?: never;
        /**
         * Delete a variant: devices with its key get the file's default from then on
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
         * List your tokens, newest first, including revoked ones. A limited token sees only itself
         * @description Needs to be signed in.
         */
        get: operations["list_tokens"];
        put?: never;
        /**
         * Create a token for yourself. Its secret is only in this answer
         * @description It requires a session: a token cannot create tokens.
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
         * Revoke a token at once
         * @description Site staff may revoke anybody's tokens, others their own. A limited token can revoke only itself. Revoking it
         *     again changes nothing.
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
         * List the webhooks that you may manage, newest first
         * @description Needs to be signed in.
         */
        get: operations["list_webhooks"];
        put?: never;
        /**
         * Create a webhook: events of a scope are sent to an address
         * @description The secret that signs them is only in this answer.
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
         * Return one webhook
         * @description Needs `manage webhooks` in the scope.
         */
        get: operations["get_webhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook with its deliveries; it receives nothing from now on
         * @description Needs `manage webhooks` in the scope.
         */
        delete: operations["delete_webhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook's url, events or description, or switch it off or on
         * @description Fields that are left out keep their values. Pending deliveries fail when it is switched off, and can be replayed
         *     later; events while it is off are not stored for it.
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
         * List the deliveries of a webhook, newest first; they are kept for 30 days
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
         * Return one delivery, with the body that is sent and every answer
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
         * Replay a delivery: send its event once more, under the same id, whatever its state
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
         * Send a webhook an event `webhook.ping`, whatever its patterns; the delivery shows the result
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
         * Rotate the secret of a webhook
         * @description During the overlap every request carries two signatures, so that the receiver can change over in time. The new
         *     secret is only in this answer.
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
    "/api/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workflows of the scenarios you may see, the last created first, each with its last placement
         * @description Needs to be signed in.
         */
        get: operations["list_workflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{scenario}/{workflow}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return one workflow with its document
         * @description Needs a role in the scenario.
         */
        get: operations["get_workflow"];
        /**
         * Create or replace a workflow; placements that were asked for before keep what they were asked for
         * @description All problems of the document are told at once.
         *
         *     Needs `push` in the scenario.
         */
        put: operations["put_workflow"];
        post?: never;
        /**
         * Delete a workflow with its placements; refused while one of them is under way
         * @description Needs `push` in the scenario.
         */
        delete: operations["delete_workflow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{scenario}/{workflow}/placements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a placement of a workflow: a model and workers for each of its operators
         * @description A worker computes it: read the placement until its state is no longer pending or running. An infeasible problem
         *     is answered with what makes it so, and the nearest change that would make it feasible.
         *
         *     Needs `simulate` in the scenario.
         */
        post: operations["request_placement"];
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
        Acknowledgement: {
            /** Format: date-time */
            readonly at: string;
            readonly by: string;
            readonly note: string;
        };
        AcknowledgementInputRequest: {
            kind: string;
            /** @description what is being done about it, or why nothing has to be */
            note: string;
            /** @default  */
            target: string;
            title: string;
        };
        AddressRequest: {
            /** @description such as ada@example.com */
            address: string;
        };
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
        /** @description A key without its text, which is not stored. */
        AppKey: {
            /** Format: date-time */
            readonly created_at: string;
            readonly id: number;
            readonly kind: components["schemas"]["AppKeyKind"];
            readonly label: string;
            /** @description Return the raw bytes of a backend key in hex; None for other keys. */
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
            /** @description devices that have checked in and are not revoked */
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
        /** @description The numbers of devices of one arm until each moment. */
        ArmSeries: {
            /** @description selected for the release */
            readonly drawn: number[];
            /** @description whose outcome is a failure */
            readonly failed: number[];
            /** @description whose outcome is a success */
            readonly healthy: number[];
            /** @description that reported the installation */
            readonly installed: number[];
            /** @description offered the version; none in control */
            readonly offered: number[];
            /** @description share of failures among outcomes; null while there is no outcome */
            readonly rate: (number | null)[];
            /** @description silent: without a check-in within the silence timeout */
            readonly silent: number[];
        };
        /** @description Features in the order in which they were stored, and where to go on. */
        Arrivals: {
            /** @description `cursor` of the next request: what is stored from here on */
            readonly next: string;
            readonly results: components["schemas"]["FeatureRow"][];
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
            /** @description Return the changed facts after the action. */
            readonly after: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            readonly at: string;
            /** @description Return the changed facts before the action. */
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
            /** @description its key in the operand */
            readonly name: string;
            readonly words: string;
        };
        BrowserSession: {
            /** Format: date-time */
            readonly began_at: string;
            /** @description the session of this request */
            readonly current: boolean;
            readonly id: number;
            /**
             * Format: date-time
             * @description precise to a minute
             */
            readonly seen_at: string;
            /** @description what the browser calls itself */
            readonly user_agent: string;
        };
        BrowserSessionPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["BrowserSession"][];
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
            /** @description what ran models, the most used first */
            readonly model_backends: components["schemas"]["ModelBackend"][];
            /** @description empty: not said; "other": none of the known systems */
            readonly os: string;
            /** @description low, mid, high or other; empty: not said */
            readonly performance: string;
            readonly runs: number;
            /** @description runs that did not take place, because too many were waiting */
            readonly shed: number;
            /** @description why kept VMs had ended, the most frequent cause first */
            readonly vm_ends: components["schemas"]["VmEnd"][];
            readonly warm: components["schemas"]["StartRuns"];
        };
        /** @description What a clone of a release starts from, if it were made now. */
        ClonePlan: {
            readonly app: string;
            readonly rule: {
                [key: string]: unknown;
            };
            readonly strategy: {
                [key: string]: unknown;
            };
            readonly task: string;
            /** @description the newest that may be released */
            readonly version: string;
            /** @description version of the original release */
            readonly was: string;
        };
        CloneRequest: {
            /** @description versions of the app that get it; instead of a rule */
            app_versions?: string[];
            /** @description targeting rule that replaces the one of the original release */
            rule?: unknown;
            /** @description keys that replace those of the original strategy */
            strategy?: {
                [key: string]: unknown;
            };
            /** @description a version of the same task; the newest that may be released if left out */
            version?: string;
        };
        /** @description The cloud half of a version, and what became of the features that it was asked about. */
        CloudHalf: {
            readonly answered: number;
            readonly calls: number;
            /** @description why a call last failed; empty: none ever did */
            readonly error: string;
            /** Format: date-time */
            readonly failed_at: string | null;
            /** @description the devices did not wait so long */
            readonly late: number;
            /** @description file whose function answers */
            readonly main: string;
            /** Format: double */
            readonly mean_call_ms: number | null;
            /**
             * Format: date-time
             * @description not asked before, as it answers nothing
             */
            readonly rests_until: string | null;
            /** @description it had no answer, or failed */
            readonly unanswered: number;
        };
        Commit: {
            readonly author_name: string;
            readonly commit: string;
            /** Format: date-time */
            readonly committed_at: string;
            /** @description first line of its message; what is very long is cut */
            readonly subject: string;
        };
        /** @description How a complete release keeps to its limit, in the present period (docs/adr/0036). */
        CompletionWatch: {
            /**
             * Format: date-time
             * @description since when it exceeds its limit; null: it does not, as far as is known
             */
            readonly exceeded_at: string | null;
            /** @description of these, devices whose first outcome in the period was a failure */
            readonly failed: number;
            /** Format: date-time */
            readonly looked_at: string | null;
            /** @description counted from 1, since it is complete */
            readonly period: number;
            /** Format: date-time */
            readonly period_began_at: string;
            /** @description devices that have reported in the period, each counted once */
            readonly reported: number;
            /** @description the same in words, with the limit; empty before the first look */
            readonly sentence: string;
        };
        /** @description Something that needs attention; its kind, target and title together name it. */
        Concern: {
            /** @description who knows of it; null: nobody, or it has begun again since */
            readonly acknowledged: components["schemas"]["Acknowledgement"] | null;
            /** @description stable identifier for programs; docs/guides/rest.md lists them */
            readonly kind: string;
            /** @description what somebody should do */
            readonly next_step: string;
            /** @description what is wrong */
            readonly reason: string;
            /** @description the scenario or app in which `acknowledge` is needed to acknowledge it; "": site staff may */
            readonly scope: string;
            /** Format: date-time */
            readonly since: string | null;
            /** @description address below /api/v1/ of what it is about; "" where it has none */
            readonly target: string;
            /** @description its subject */
            readonly title: string;
            /** @description now: devices are or may soon be worse off; soon: something stands still until somebody acts */
            readonly urgency: components["schemas"]["UrgencyEnum"];
        };
        ConcernInputRequest: {
            kind: string;
            /** @default  */
            target: string;
            title: string;
        };
        Consideration: {
            /** @description bucket of the device in the release, 0..999999 */
            readonly bucket: number;
            readonly decides: boolean;
            readonly reason: string;
            readonly release: number;
            /** @description buckets below this number are selected */
            readonly share: number;
            readonly stage: number;
        };
        Count: {
            /** @description number of devices whose facts changed */
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
        /** @description A new key; for an enrol or gateway key this is the only answer that contains its text. */
        CreatedAppKey: {
            /** Format: date-time */
            readonly created_at: string;
            readonly id: number;
            readonly kind: components["schemas"]["AppKeyKind"];
            readonly label: string;
            /** @description Return the raw bytes of a backend key in hex; None for other keys. */
            readonly public_key: string | null;
            /** Format: date-time */
            readonly revoked_at: string | null;
            /** @description shown only once; null for a backend key */
            readonly text: string | null;
        };
        DeclaredFact: {
            readonly description: string;
            /** @description as rules use it; names of facts about users begin with user. */
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
            /** @description number of attempts since it was created, or replayed */
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
            /** @description id that the receiver sees as `webhook-id` */
            readonly message: string;
            /**
             * Format: date-time
             * @description null: it is in progress, or there is none
             */
            readonly next_attempt_at: string | null;
            readonly object_name: string;
            /** @description number that grows from event to event */
            readonly sequence: number;
            readonly state: components["schemas"]["DeliveryState"];
            /** @description HTTP status of the last answer; empty: none came */
            readonly status: number | null;
        };
        /** @description A delivery with its body and the answers. */
        DeliveryDetail: {
            /** @description number of attempts since it was created, or replayed */
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
            /** @description id that the receiver sees as `webhook-id` */
            readonly message: string;
            /**
             * Format: date-time
             * @description null: it is in progress, or there is none
             */
            readonly next_attempt_at: string | null;
            readonly object_name: string;
            /** @description the body, as JSON */
            readonly payload: {
                [key: string]: unknown;
            };
            /** @description number that grows from event to event */
            readonly sequence: number;
            readonly state: components["schemas"]["DeliveryState"];
            /** @description HTTP status of the last answer; empty: none came */
            readonly status: number | null;
            /** @description all requests, oldest first, including replays */
            readonly tries: components["schemas"]["Attempt"][];
        };
        /** @description A grant that allows a scenario's versions to be released to an app. */
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
            /** @description why it puts off new versions; empty: it does not */
            readonly deferral: string;
            /**
             * Format: date-time
             * @description until when it expects to do so
             */
            readonly deferral_until: string | null;
            readonly device: string;
            /** @description what the device reports about itself */
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
            /**
             * Format: date-time
             * @description the moment that was asked for; null: the next check-in
             */
            readonly at: string | null;
            /** @description what is not known as it was then */
            readonly caveats: string[];
            /** @description why it puts off new versions then; empty: it does not */
            readonly deferral: string;
            /** @description what it says of itself then */
            readonly facts: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description since when this is released to the app
             */
            readonly released_since: string | null;
            readonly results: components["schemas"]["Explanation"][];
            /**
             * Format: date-time
             * @description since when the device says of itself what is explained; as far as is known
             */
            readonly said_since: string | null;
            /** @description number of the table that decides; null: none */
            readonly table: number | null;
            /** @description what its credential says of its user then */
            readonly trusted: {
                [key: string]: unknown;
            };
            /** @description why nothing is known of that moment; empty: something is */
            readonly unexplained: string;
        };
        /** @description A device of a list. The context has the `versions` (devices_app.selectors.page_details). */
        DeviceRow: {
            readonly app: string;
            /** @description why it puts off new versions; empty: it does not */
            readonly deferral: string;
            /**
             * Format: date-time
             * @description until when it expects to do so
             */
            readonly deferral_until: string | null;
            readonly device: string;
            /** @description what the device reports about itself */
            readonly facts: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            readonly first_seen: string;
            /** @description its tasks, by name */
            readonly installed: components["schemas"]["InstalledVersionName"][];
            /** @description null: it has sent none that is kept */
            readonly last_report: components["schemas"]["LastReport"] | null;
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
        DeviceRowPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["DeviceRow"][];
        };
        /** @description The number of devices; lists by kind hold only the most frequent kinds. */
        Devices: {
            readonly app_versions: components["schemas"]["AppVersionDevices"][];
            /**
             * Format: date-time
             * @description when they were counted; null: now. Large numbers are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description devices that have checked in and are not revoked */
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
        /** @description The stream tasks that ran on a device during the last day. */
        DeviceStreams: {
            /** @description the task that reported last first, at most 50 */
            readonly streams: components["schemas"]["StreamCost"][];
        };
        /** @description A device selected for a release: offered its version (treatment) or held back as control. */
        DrawnDevice: {
            readonly arm: components["schemas"]["ArmEnum"];
            /** @description whether it has installed a stream task's version and checks in, and the condition has not occurred */
            readonly awaiting_trigger: boolean;
            /** @description why it puts the version off now; empty: it does not */
            readonly deferral: string;
            readonly device: string;
            /** Format: date-time */
            readonly drawn_at: string;
            /** Format: double */
            readonly duration_ms: number | null;
            /** @description class of its failure; empty: none */
            readonly error_class: string;
            /** @description what it reports about itself; empty for people who may not see the app's devices */
            readonly facts: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            readonly installed_at: string | null;
            /** @description message of its failure; empty: none */
            readonly message: string;
            /** Format: date-time */
            readonly offered_at: string | null;
            /** @description "": it has not reported */
            readonly outcome: components["schemas"]["DrawnDeviceOutcomeEnum"] | components["schemas"]["BlankEnum"];
            /** @description whether it is among the app's devices, as users whom a service names to a pipeline are not; false for people who may not see the app's devices */
            readonly registered: boolean;
            /**
             * Format: date-time
             * @description when its outcome was received
             */
            readonly settled_at: string | null;
            /** @description null: its silence timeout is not over */
            readonly silent: boolean | null;
            /** @description stage in which it was selected, counted from 0 */
            readonly stage: number;
        };
        /** @enum {string} */
        DrawnDeviceOutcomeEnum: "success" | "failure";
        DrawnDevicePage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["DrawnDevice"][];
        };
        /** @description One event in the history of a device. */
        Event: {
            /**
             * Format: date-time
             * @description by the server's clock
             */
            readonly at: string;
            /** @description further fields, which depend on the kind of event */
            readonly details: {
                [key: string]: unknown;
            };
            readonly kind: components["schemas"]["EventKindEnum"];
            /** @description that selected the device, or whose offer the report proved */
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
        /** @description The decision about one task on the device, and the part that each release had in it, newest first. */
        Explanation: {
            /** @description at the device's next check-in, or at one then */
            readonly change: components["schemas"]["ExplanationChangeEnum"];
            readonly considered: components["schemas"]["Consideration"][];
            /** @description release that decides */
            readonly release: number | null;
            readonly task: string;
        };
        /** @enum {string} */
        ExplanationChangeEnum: "install" | "remove" | "none";
        /** @description A fact that the rule uses; type and source are null if no fact of that name is declared. */
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
            /** @description all possible values of a text */
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
            /** @description operators for this type, the usual one first */
            readonly operators: string[];
        };
        /** @description What one run of a device task found out, as the device sent it. */
        Feature: {
            readonly app: string;
            /**
             * Format: date-time
             * @description when the task ran, by the device's clock
             */
            readonly at: string;
            /** @description its place in the order in which features were stored */
            readonly cursor: string;
            /**
             * Format: double
             * @description from tracked_at to received_at; 0 if the device's clock is ahead
             */
            readonly delay_ms: number;
            readonly device: string;
            readonly id: number;
            /** @description length of the values as JSON */
            readonly raw_bytes: number;
            /**
             * Format: date-time
             * @description by the server's clock
             */
            readonly received_at: string;
            /** @description whether this version was rolled back since */
            readonly rolled_back: boolean;
            readonly task: string;
            /**
             * Format: date-time
             * @description when the event came that triggered the run, by the device's clock
             */
            readonly tracked_at: string;
            readonly values: {
                [key: string]: unknown;
            };
            /** @description such as 1.0.0; "" of one that was not known */
            readonly version: string;
            /** @description of it that was sent, after compression */
            readonly wire_bytes: number;
        };
        /** @description Something that reads all features in order, and how far behind it is. */
        FeatureConsumer: {
            /** @description "": of all apps */
            readonly app: string;
            /** @description why the last one failed; "" */
            readonly error: string;
            /** Format: date-time */
            readonly failed_at: string | null;
            /** @description attempts that failed since the last one that did not */
            readonly failures: number;
            /** @description that it has not read yet; very many are estimated */
            readonly features: number;
            readonly name: string;
            /** @description that it has read */
            readonly read: number;
            /**
             * Format: double
             * @description for how long the oldest of these has waited
             */
            readonly seconds: number;
            /** @description "": of all tasks */
            readonly task: string;
            /**
             * Format: date-time
             * @description when it last read; null: never
             */
            readonly updated_at: string | null;
        };
        /** @description The consumers that you may see, by name. */
        FeatureConsumers: {
            /** @description at most 100 */
            readonly consumers: components["schemas"]["FeatureConsumer"][];
        };
        /** @description What arrived, in at most 240 steps of equal length. */
        FeatureRates: {
            /** @description when the steps began, in Unix seconds */
            readonly at: number[];
            /** @description features, by step */
            readonly features: number[];
            /** @description half of the features took at most so many milliseconds from their event, by step; null: none came */
            readonly p50_ms: (number | null)[];
            /** @description 90 % of the features took at most so many milliseconds from their event, by step; null: none came */
            readonly p90_ms: (number | null)[];
            /** @description 99 % of the features took at most so many milliseconds from their event, by step; null: none came */
            readonly p99_ms: (number | null)[];
            /** @description bytes of their values as JSON, by step */
            readonly raw_bytes: number[];
            /** @description seconds in a step */
            readonly step_s: number;
            /** @description the busiest first, at most 50 */
            readonly tasks: components["schemas"]["TaskFeatures"][];
            /** @description bytes of these that were sent, after compression, by step */
            readonly wire_bytes: number[];
        };
        /** @description A feature in a list. */
        FeatureRow: {
            readonly app: string;
            /**
             * Format: date-time
             * @description when the task ran, by the device's clock
             */
            readonly at: string;
            /** @description its place in the order in which features were stored */
            readonly cursor: string;
            /**
             * Format: double
             * @description from tracked_at to received_at; 0 if the device's clock is ahead
             */
            readonly delay_ms: number;
            readonly device: string;
            readonly id: number;
            /** @description length of the values as JSON */
            readonly raw_bytes: number;
            /**
             * Format: date-time
             * @description by the server's clock
             */
            readonly received_at: string;
            /** @description whether this version was rolled back since */
            readonly rolled_back: boolean;
            readonly task: string;
            /**
             * Format: date-time
             * @description when the event came that triggered the run, by the device's clock
             */
            readonly tracked_at: string;
            /** @description null if longer than 8192 bytes: read the feature itself */
            readonly values: {
                [key: string]: unknown;
            } | null;
            /** @description such as 1.0.0; "" of one that was not known */
            readonly version: string;
            /** @description of it that was sent, after compression */
            readonly wire_bytes: number;
        };
        FeatureRowPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["FeatureRow"][];
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
        FiguresPoint: {
            /**
             * Format: date-time
             * @description when the minute began
             */
            readonly at: string;
            readonly figures: components["schemas"]["PredictionFigures"];
            readonly version: string;
        };
        FileChange: {
            readonly change: components["schemas"]["FileChangeChangeEnum"];
            /** @description unified diff with three lines of context */
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
        FileKind: "shared" | "exclusive" | "source" | "cloud";
        /** @description One version's side of a changed file. */
        FileSide: {
            readonly default: string;
            /** @description SHA-256 of a shared file or a source */
            readonly digest: string | null;
            readonly kind: components["schemas"]["FileKind"];
            readonly size: number | null;
            readonly template: string;
        };
        /** @description The fleet as the requesting person may see it. */
        Fleet: {
            /** @description slugs of the apps it covers */
            readonly apps: string[];
            /**
             * Format: date-time
             * @description time of this reading
             */
            readonly at: string;
            /** @description most urgent first, acknowledged last; at most 50 */
            readonly attention: components["schemas"]["Concern"][];
            readonly devices: components["schemas"]["Devices"];
            readonly rates: components["schemas"]["Rates"];
            /** @description releases in progress, the newest first; at most 50 */
            readonly releases: components["schemas"]["UnderWay"][];
        };
        /** @description How many devices of the app have the version now, from this or another release. */
        Having: {
            /**
             * Format: date-time
             * @description null: now. Large numbers are counted from time to time
             */
            readonly counted_at: string | null;
            readonly devices: number;
        };
        HeldRole: {
            /** @description the first five active owners, who may give roles there */
            readonly owners: string[];
            /** @description permissions of the roles there */
            readonly permissions: string[];
            readonly roles: components["schemas"]["Role"][];
            readonly scope: string;
        };
        /** @description A version on one host. */
        HostedPlan: {
            readonly error_class: string;
            readonly host: string;
            /** @description whether the host has not reported for longer than its lease */
            readonly lost: boolean;
            readonly manifest_digest: string;
            /** @description why it is not ready; empty: it is */
            readonly problem: string;
            /** @description what the host's runtime counts of it: engine, latency, memory, sharing, reservation; empty: nothing */
            readonly runtime: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            readonly since: string;
            readonly state: components["schemas"]["HostedPlanStateEnum"];
            readonly version: string;
        };
        /** @enum {string} */
        HostedPlanStateEnum: "ready" | "failed" | "isolated";
        HostMinute: {
            /** Format: date-time */
            readonly at: string;
            readonly state: {
                [key: string]: unknown;
            };
        };
        /** @description What a host's runtime counted, by minute. */
        HostSeries: {
            readonly points: components["schemas"]["HostMinute"][];
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
        /** @description The number of devices that have each version of a task, by their last check-ins. */
        Installed: {
            /**
             * Format: date-time
             * @description when they were counted; null: now. Large numbers are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description number of devices that have any version */
            readonly devices: number;
            /** @description versions that any device has, the most devices first */
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
        /** @description The number of devices that have one version. */
        InstalledVersion: {
            /** @description number by app, the most devices first */
            readonly apps: components["schemas"]["InstalledOnApp"][];
            readonly devices: number;
            /** @description "" of manifests of no registered version */
            readonly version: string;
        };
        /** @description A task on a device of a list. */
        InstalledVersionName: {
            /** @description <scenario>/<task> */
            readonly task: string;
            /** @description "" if the manifest is of no registered version */
            readonly version: string;
        };
        /** @description A new token; this is the only answer that contains its secret. */
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
            /** @description shown only once: `Authorization: Bearer <secret>` */
            readonly secret: string;
        };
        /** @description A webhook with a new secret; this is the only answer that contains it. */
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
             * @description until then the previous secret signs too; null: only the present one signs
             */
            readonly previous_until: string | null;
            /** @description such as scenario:camera or app:shop; site stands for all there are */
            readonly scope: string;
            /** @description shown only once: `whsec_` and the signing key in base64 */
            readonly secret: string;
            /** @description where events are sent to; who knows it may be all it takes */
            readonly url: string;
        };
        KindOfMail: {
            readonly kind: components["schemas"]["MailKind"];
            readonly title: string;
            /** @description sent at once; others are gathered for five minutes */
            readonly urgent: boolean;
        };
        /** @description The newest report of a device of a list. */
        LastReport: {
            /** @description empty: none */
            readonly error_class: string;
            readonly kind: components["schemas"]["ReportKind"];
            readonly outcome: components["schemas"]["ReportOutcome"];
            /** Format: date-time */
            readonly received_at: string;
            readonly task: string;
            readonly version: string;
        };
        LinkRequest: {
            /** @description what follows `confirm=` in the link */
            token: string;
        };
        /** @description An id list that the rule uses. */
        ListAsked: {
            readonly name: string;
            /** @description number of devices; null: no such list exists */
            readonly size: number | null;
        };
        LoginRequest: {
            password: string;
            username: string;
        };
        /** @description A message to you, without its text. */
        Mail: {
            /** @description where it was sent to last */
            readonly address: string;
            readonly attempts: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description why it was not sent, or not yet */
            readonly error: string;
            /** Format: date-time */
            readonly finished_at: string | null;
            readonly id: number;
            readonly purpose: components["schemas"]["MailPurpose"];
            readonly state: components["schemas"]["MailState"];
            readonly subject: string;
        };
        /** @enum {string} */
        MailKind: "approval" | "rolled-back" | "failing-after-complete" | "held" | "rejected" | "stage" | "complete" | "withdrawn" | "version" | "placement" | "devices" | "keys" | "delivery" | "members" | "webhook";
        /** @enum {string} */
        MailPurpose: "events" | "test" | "confirmation";
        MailSettings: {
            /** @description where messages go to; empty: nowhere */
            readonly address: string;
            /** @description false: this server sends no e-mail, until an operator sets WALLE_MAIL_URL and WALLE_MAIL_FROM */
            readonly available: boolean;
            readonly kinds: components["schemas"]["MailKind"][];
            /** @description all kinds that you can choose */
            readonly known_kinds: components["schemas"]["KindOfMail"][];
            /** @description the newest message to you */
            readonly last: components["schemas"]["Mail"] | null;
            /** @description an address that you have not confirmed yet; empty: none */
            readonly new_address: string;
            readonly on: boolean;
            /** @description empty: wherever you may read */
            readonly scopes: string[];
        };
        /** @enum {string} */
        MailState: "pending" | "sending" | "sent" | "failed" | "dropped";
        ManyUserFactsRequest: {
            /** @description by device id; null deletes all facts of a device */
            facts: {
                [key: string]: {
                    [key: string]: unknown;
                } | null;
            };
        };
        /** @description The present delivery grant of the scenario. */
        MayDeliver: {
            /** @description the release may be moved on before its stage has passed */
            readonly complete_early: boolean;
            /** @description false: the release can be halted, but does not proceed */
            readonly deliver: boolean;
        };
        /** @description The sender of the request. */
        Me: {
            readonly preferences: components["schemas"]["Preferences"];
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
            /** @description the only active owner, whose role can neither go nor change */
            readonly last_owner: boolean;
            readonly role: components["schemas"]["Role"];
            readonly user: string;
        };
        MemberPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Member"][];
        };
        ModelBackend: {
            /** @description walle, onnxruntime, onnxruntime-int8, mnn, torch; other: none of them */
            readonly backend: string;
            /** @description in which it ran a model */
            readonly runs: number;
        };
        /** @description What a backend is predicted to need for a model. */
        ModelBackendPlan: {
            readonly backend: string;
            /** @description the module that a device needs for it */
            readonly needs: string;
            /**
             * Format: double
             * @description of a run
             */
            readonly run_ms: number;
            /**
             * Format: double
             * @description to load the backend and compile the model, once per process
             */
            readonly start_ms: number;
        };
        /** @description How a model will run on a class of devices. */
        ModelClass: {
            /** @description the best first; a device takes the first that it has */
            readonly backends: components["schemas"]["ModelBackendPlan"][];
            /** @description low, mid or high */
            readonly performance: string;
            /** @description why other backends cannot run it, by their names */
            readonly refused: unknown;
        };
        ModelMemory: {
            /** @description what they would need if none shared memory */
            readonly naive: number;
            /** @description bytes of all values between operators */
            readonly planned: number;
        };
        /** @description How a model of a version will run on devices, as it was planned when the version was pushed. */
        ModelPlan: {
            /** @description by class of devices, the slowest first */
            readonly classes: components["schemas"]["ModelClass"][];
            readonly constant_bytes: number;
            /** @description path in the bundle */
            readonly file: string;
            /** @description types by name */
            readonly inputs: {
                [key: string]: string;
            };
            /** @description null: of a module */
            readonly memory: components["schemas"]["ModelMemory"] | null;
            /** @description session, or module: it is planned where it runs */
            readonly mode: string;
            readonly name: string;
            /** @description of the model, by name */
            readonly operators: {
                [key: string]: number;
            };
            readonly outputs: string[];
            /** @description by kind of work, the longest first */
            readonly profile: components["schemas"]["ModelWork"][];
            /** @description operators run, by group */
            readonly steps: {
                [key: string]: number;
            };
            /**
             * @description of a module: what runs it
             * @default
             */
            readonly why: string;
        };
        /** @description The operators of one kind of work. */
        ModelWork: {
            readonly kind: string;
            readonly operations: number;
            readonly operators: number;
            /**
             * Format: double
             * @description predicted, of the time of a run by our own kernels
             */
            readonly share: number;
        };
        MoveRequest: {
            /** @description stage you saw, checked in the same way */
            position?: number;
            /**
             * @description reason, for the history
             * @default
             */
            reason: string;
            /** @description state you saw; if the release has left it, nothing is done */
            state?: components["schemas"]["ReleaseState"];
        };
        /** @description A key to create: `enrol` and `gateway` keys are generated, for a `backend` key you send the public half. */
        NewAppKeyRequest: {
            kind: components["schemas"]["AppKeyKind"];
            /** @description what the key is used for */
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
        /** @description The devices that registered in a time range. */
        Newcomers: {
            /** @description number of devices concerned */
            readonly devices: number;
            /** Format: date-time */
            readonly first_seen_before: string;
            /** Format: date-time */
            readonly first_seen_since: string;
        };
        NewDeliveryGrantRequest: {
            /**
             * @description may also complete early, skipping what a stage waits for, with a recorded reason
             * @default false
             */
            complete_early: boolean;
            /**
             * @description reason, for people
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
        NewPlacementRequest: {
            /**
             * Format: double
             * @description seconds for proving that a plan is the best
             * @default 10
             */
            budget_s: number;
            percentile?: components["schemas"]["PercentileEnum"];
            /** @description measure the models of a version first, on its validation data, in a sandbox */
            profile?: components["schemas"]["NewProfileRequest"];
            /** @description a placement of this workflow whose measurements are taken */
            profiled_by?: number;
            /** @description instead of the workflow's own */
            target?: components["schemas"]["PlacementTargetRequest"];
        };
        NewProfileRequest: {
            /**
             * Format: double
             * @description for how long each model is timed
             * @default 1
             */
            seconds: number;
            /** @description a task of the kind workflow in the workflow's scenario */
            task: string;
            /** @description types of workers whose latencies are the server's; left out: those for which code.json has a `slowdown` */
            types?: string[];
            /** @description whose models are measured; the highest if left out */
            version?: string;
        };
        NewRegionBaseRequest: {
            /**
             * Format: uri
             * @description base URL of exclusive files
             */
            exclusive: string;
            /**
             * @description empty: all regions without base URLs of their own
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
            /** @description stages, limits and pace; missing keys get defaults */
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
            /** @description what the token is used for */
            name: string;
            /** @description permissions to which the token is limited, besides viewing; empty: no limit */
            permissions?: components["schemas"]["PermissionsEnum"][];
            /** @description scopes to which the token is limited; empty: no limit */
            scopes?: string[];
        };
        NewUserFactsRequest: {
            /** @description declared facts by name, without user.; an empty object deletes all */
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
        NewWorkflowRequest: {
            /** @description as in docs/workflow-format.md */
            document: {
                [key: string]: unknown;
            };
        };
        NullEnum: null;
        /** @enum {string} */
        OfEnum: "plans" | "accuracy" | "rate";
        /** @description A version that answers callers of an app. The newest release whose rule and share take a caller answers. */
        Offering: {
            readonly app: string;
            /**
             * Format: double
             * @description held back for comparison
             */
            readonly control_percent: number;
            readonly manifest_digest: string;
            /** @description held: the release is on hold, and keeps its callers */
            readonly mode: components["schemas"]["OfferingModeEnum"];
            readonly release: number;
            /**
             * Format: double
             * @description of the callers that the release's rule takes
             */
            readonly share_percent: number;
            readonly version: string;
        };
        /** @enum {string} */
        OfferingModeEnum: "offered" | "held" | "complete";
        /** @enum {string} */
        OmittedEnum: "binary" | "too-large" | "exclusive";
        /** @description The operand that an operator compares a fact with. */
        Operand: {
            /** @description bounds that such an object may have; empty for other forms */
            readonly bounds: components["schemas"]["Bound"][];
            /** @description its JSON in words */
            readonly expected: string;
            /** @description values: a list; value: a single value; text; notation: text in its own syntax; bounds: an object */
            readonly form: components["schemas"]["OperandForm"];
        };
        /** @enum {string} */
        OperandForm: "values" | "value" | "text" | "notation" | "bounds";
        /** @description An operator of rules: `{"fact": ..., name: operand}`. */
        Operator: {
            /** @description an example of an operand */
            readonly example: unknown;
            /** @description message for an empty operand; null: it may be empty */
            readonly missing: string | null;
            readonly name: string;
            readonly operand: components["schemas"]["Operand"];
            /** @description fact types that the operator accepts */
            readonly types: string[];
            /** @description text between fact and operand */
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
        PatchedMailChangeRequest: {
            kinds?: components["schemas"]["MailKind"][];
            on?: boolean;
            /** @description empty: wherever you may read */
            scopes?: string[];
        };
        PatchedPreferencesChangeRequest: {
            /** @description empty: as the browser has it */
            theme?: components["schemas"]["ThemeEnum"] | components["schemas"]["BlankEnum"];
            /** @description such as Europe/Berlin; empty: the browser's */
            time_zone?: string;
        };
        PatchedRoleChangeRequest: {
            /** @description the role that takes the place of the present one */
            role?: components["schemas"]["Role"];
        };
        PatchedScenarioChangeRequest: {
            /** @description every release must be approved by somebody other than its creator */
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
        PercentileEnum: "p50" | "p75" | "p90";
        /** @enum {string} */
        PermissionsEnum: "view" | "push" | "upload variants" | "simulate" | "retire tasks" | "release" | "complete early" | "halt releases" | "acknowledge" | "issue device credentials" | "predict" | "manage keys" | "manage members" | "manage webhooks" | "manage the site";
        Pipeline: {
            /** @description of the newest version */
            readonly description: string;
            /** @description of the newest version: auto, request-response or batch */
            readonly engine: string;
            /** @description of the last minutes */
            readonly figures: components["schemas"]["PredictionFigures"];
            /** @description living hosts that have a version ready */
            readonly hosts: number;
            /** @description <scenario>/<task> */
            readonly name: string;
            /** @description by app, the newest release first */
            readonly offerings: components["schemas"]["Offering"][];
            readonly retired: boolean;
            readonly scenario: string;
            readonly slug: string;
            /** @description versions on living hosts that are not ready, or isolated */
            readonly troubled: number;
            /** @description the newest version, released or not */
            readonly version: string;
        };
        PipelineDetail: {
            /** @description of the newest version */
            readonly description: string;
            /** @description of the newest version: auto, request-response or batch */
            readonly engine: string;
            /** @description of the last minutes */
            readonly figures: components["schemas"]["PredictionFigures"];
            /** @description living hosts that have a version ready */
            readonly hosts: number;
            /** @description columns of a record, as in task.toml */
            readonly inputs: {
                [key: string]: unknown;
            };
            /** @description <scenario>/<task> */
            readonly name: string;
            /** @description by app, the newest release first */
            readonly offerings: components["schemas"]["Offering"][];
            readonly outputs: {
                [key: string]: unknown;
            };
            /** @description where which version is installed */
            readonly plans: components["schemas"]["HostedPlan"][];
            readonly retired: boolean;
            readonly scenario: string;
            readonly slug: string;
            /** @description versions on living hosts that are not ready, or isolated */
            readonly troubled: number;
            /** @description the newest version, released or not */
            readonly version: string;
            /** @description the newest twenty, and those that answer or are installed */
            readonly versions: components["schemas"]["ServedVersion"][];
        };
        /** @description How a version is compiled, and which of its parameters others have too. */
        PipelineExplanation: {
            /** @description imported (transformations), logical (stages, rules, drawing), physical, parameters, cascade; null: not ready */
            readonly explanation: {
                [key: string]: unknown;
            } | null;
            /** @description why it failed; empty: it did not */
            readonly problem: string;
            /** @description with installed versions that you may see */
            readonly shared: components["schemas"]["PlanSharing"][];
            /** @description pending: it is still to be computed, ask again */
            readonly state: components["schemas"]["PipelineExplanationStateEnum"];
        };
        /** @enum {string} */
        PipelineExplanationStateEnum: "pending" | "ready" | "failed";
        PipelinePage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Pipeline"][];
        };
        /** @description The predictions of each version by minute, without minutes that had none. */
        PipelineSeries: {
            readonly points: components["schemas"]["FiguresPoint"][];
        };
        Placement: {
            /**
             * Format: double
             * @description seconds that the exact solver may take
             */
            readonly budget_s: number;
            /**
             * Format: double
             * @description USD per hour of the best plan that is known; null: none is, or an older release ran
             */
            readonly cost: number | null;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            /** @description why it failed; empty: it did not */
            readonly error: string;
            /** Format: date-time */
            readonly finished_at: string | null;
            readonly id: number;
            /** @description what accuracies, sizes and latencies were measured of: `task`, `version`, `seconds`, `types`, and, once they are known, the `placement` that had them measured; null: the workflow's document had them */
            readonly profiled: {
                [key: string]: unknown;
            } | null;
            /** @description what the solver said last: phase, seconds, best cost, bound */
            readonly progress: {
                [key: string]: unknown;
            };
            readonly scenario: string;
            /** Format: date-time */
            readonly started_at: string | null;
            readonly state: components["schemas"]["PlacementState"];
            readonly workflow: string;
        };
        PlacementDetail: {
            /**
             * Format: double
             * @description seconds that the exact solver may take
             */
            readonly budget_s: number;
            /**
             * Format: double
             * @description USD per hour of the best plan that is known; null: none is, or an older release ran
             */
            readonly cost: number | null;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            /** @description why it failed; empty: it did not */
            readonly error: string;
            /** Format: date-time */
            readonly finished_at: string | null;
            readonly id: number;
            /** @description what was measured: `accuracy_rows` by operator and model, `edges`, and `profiles` in ms by percentile, operator, model and type of worker; null: nothing was */
            readonly measurements: {
                [key: string]: unknown;
            } | null;
            /** @description the whole problem as it was when the placement was asked for */
            readonly problem: {
                [key: string]: unknown;
            };
            /** @description what accuracies, sizes and latencies were measured of: `task`, `version`, `seconds`, `types`, and, once they are known, the `placement` that had them measured; null: the workflow's document had them */
            readonly profiled: {
                [key: string]: unknown;
            } | null;
            /** @description what the solver said last: phase, seconds, best cost, bound */
            readonly progress: {
                [key: string]: unknown;
            };
            /** @description plans, bound, baselines and frontiers, until it has ended those found so far; null: there are none */
            readonly result: {
                [key: string]: unknown;
            } | null;
            readonly scenario: string;
            /** Format: date-time */
            readonly started_at: string | null;
            readonly state: components["schemas"]["PlacementState"];
            readonly workflow: string;
        };
        PlacementPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Placement"][];
        };
        /** @enum {string} */
        PlacementState: "pending" | "running" | "succeeded" | "infeasible" | "failed" | "cancelled";
        PlacementTargetRequest: {
            /** Format: double */
            accuracy: number;
            /** @description items per second at each source */
            rates: {
                [key: string]: number;
            };
        };
        PlannedCell: {
            readonly app_version: string;
            readonly os: string;
            readonly os_version: string;
        };
        /** @description The simulation that would run before any device is offered the release. */
        PlannedSimulation: {
            /** @description app versions and systems in which the task is simulated */
            readonly cells: components["schemas"]["PlannedCell"][];
            readonly needed: boolean;
            /** @description app versions that cannot be simulated, and why */
            readonly problems: string[];
        };
        /** @description A stage, computed from the devices known now. */
        PlannedStage: {
            /**
             * Format: double
             * @description seconds until so many devices will have checked in, at the present rate of check-ins, and at least at_least_s; null: too few would ever report, or nothing is known of them
             */
            readonly about_s: number | null;
            /** @description of these, devices not reached by the stage before */
            readonly adds: components["schemas"]["Counted"];
            /**
             * Format: double
             * @description seconds that it takes at least, by its soak time and pace
             */
            readonly at_least_s: number;
            /** Format: double */
            readonly dwell_s: number;
            /** @description devices that have to report (minimum samples) */
            readonly evidence: number;
            /** @description devices in the control group during the stage */
            readonly held_back: components["schemas"]["Counted"];
            readonly id_list: string | null;
            readonly kind: components["schemas"]["StageKind"];
            /** @description offers per second; null: any */
            readonly pace: number | null;
            /** @description counted from 0 */
            readonly position: number;
            /** @description devices reached at the end of the stage */
            readonly reaches: components["schemas"]["Counted"];
            /** @description millionths of the eligible devices */
            readonly share: number;
        };
        /** @description What an installed version has in common with the one that is explained. */
        PlanSharing: {
            /** @description of these arrays */
            readonly bytes: number;
            /** @description arrays that both have, and hosts keep once */
            readonly parameters: number;
            /** @description identities of physical stages that both plans have */
            readonly stages: string[];
            readonly task: string;
            readonly version: string;
        };
        PlanToApplyRequest: {
            /** @description version that the plan is applied to; the highest if left out */
            base?: string;
            /** @description tiers that are the device; the lowest one if left out */
            device_tiers?: string[];
            /**
             * @description the placement's best plans, the best one first, or the points of its frontier of accuracy or rates
             * @default plans
             */
            of: components["schemas"]["OfEnum"];
            /**
             * @description which plan of those of `of`, from 1 on
             * @default 1
             */
            plan: number;
            /** @description why; the message of the commit and the tag begins with it */
            reason?: string;
            /** @description where operators run whose workers are of both; without it, such a plan is refused */
            spanning?: components["schemas"]["SpanningEnum"];
            /** @description a task of the kind workflow in the placement's scenario */
            task: string;
            /** @description name of the version that is made */
            version: string;
        };
        /** @description What is allowed but probably unintended. */
        PlanWarning: {
            readonly detail: string;
            /** @description the place in the request that causes it, as in errors */
            readonly field: string;
        };
        /** @description What was predicted within some time, all hosts together. */
        PredictionFigures: {
            /** @description records that got no prediction, through no fault of their own */
            readonly failed: number;
            /** @description histogram of the time of requests: bucket 0 up to 1 us, eight further ones for each doubling */
            readonly latency: number[];
            /**
             * Format: double
             * @description of the time of a request; null: there were too few
             */
            readonly p50_ms: number | null;
            /** Format: double */
            readonly p90_ms: number | null;
            /** Format: double */
            readonly p99_ms: number | null;
            readonly records: number;
            /** Format: double */
            readonly records_per_s: number;
            /** @description records that had the wrong form */
            readonly refused: number;
            readonly requests: number;
            /** Format: double */
            readonly requests_per_s: number;
            /** @description histogram of scores in twentieths of 0 to 1; empty of values */
            readonly scores: number[];
            /**
             * Format: double
             * @description the time that this is about, in seconds
             */
            readonly seconds: number;
        };
        /** @description How a user wants to see the dashboard. */
        Preferences: {
            readonly theme: components["schemas"]["ThemeEnum"] | components["schemas"]["BlankEnum"];
            /** @description such as Europe/Berlin; empty: the browser's */
            readonly time_zone: string;
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
        /** @description The devices that a rule matches now, among the app's devices that are not revoked. */
        Preview: {
            /** @description number of devices that the rule matches */
            readonly count: number;
            /** @description false: an estimate */
            readonly exact: boolean;
            /** @description by how much an estimate is off at most, 19 times of 20 */
            readonly margin: number;
            /** @description ids of the last registered matching devices, as far as they are found quickly */
            readonly sample: string[];
            /** @description number of all devices, estimated in the same way */
            readonly total: number;
        };
        /** @description The reason why a request failed (RFC 9457). */
        Problem: {
            /** @description stable identifier for programs */
            code: string;
            /** @description text for people */
            detail?: string;
            errors?: components["schemas"]["FieldError"][];
            status: number;
            title: string;
            type: string;
        };
        /** @description Events of devices per second, in at most 240 steps of equal length. */
        Pulse: {
            /** @description when the steps began, in Unix seconds */
            readonly at: number[];
            /** @description check-ins per second, by step */
            readonly check_ins: number[];
            /** @description new devices that enrolled with an app key per second, by step */
            readonly enrolled_by_key: number[];
            /** @description enrolments of devices that the app's backend vouches for per second, by step */
            readonly enrolled_by_statement: number[];
            /** @description new devices with an app key that a limit refused, per second, by step */
            readonly enrolments_refused: number[];
            /** @description reported failures of any kind per second, by step */
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
        /** @description Events of devices per second, on average over ten seconds. */
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
             * @description enrolments of devices that the app's backend vouches for
             */
            readonly enrolled_by_statement: number;
            /**
             * Format: double
             * @description new devices with an app key that a limit refused
             */
            readonly enrolments_refused: number;
            /** Format: double */
            readonly failures: number;
            /** Format: double */
            readonly installs: number;
            /**
             * Format: double
             * @description devices offered a version for the first time by a release under observation
             */
            readonly offers: number;
            /**
             * Format: double
             * @description devices that were not known before
             */
            readonly registered: number;
        };
        /** @description The devices selected for the new version, and their outcomes. */
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
        /** @enum {string} */
        ReleaseAction: "start" | "pass" | "approve" | "reject" | "promote" | "complete" | "pause" | "resume" | "abort" | "roll-back" | "supersede" | "restore";
        ReleaseDetail: {
            /** @description present delivery grant of the task's scenario */
            readonly allowed: components["schemas"]["MayDeliver"];
            readonly app: string;
            /** @description how a complete release keeps to its limit; null unless it is complete and watched */
            readonly completion_watch: components["schemas"]["CompletionWatch"] | null;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            /** @description devices selected (drawn), offered, reported, failed and silent, by arm; failed_late: devices of a stage that failed after it had been left; awaiting_trigger: devices on which the condition that triggers the task has not occurred; trigger: the ids of that condition; deferred: devices that put the version off, by arm, and by reason */
            readonly figures: {
                [key: string]: unknown;
            };
            /** @description how many devices have the version now; null for a pipeline, whose callers have nothing installed */
            readonly having: components["schemas"]["Having"] | null;
            readonly id: number;
            /** @description of the task; the devices of a `pipeline` are its callers */
            readonly kind: string;
            /** @description present stage, counted from 0 */
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
            /** @description all moves, oldest first */
            readonly transitions: components["schemas"]["Transition"][];
            /** @description all verdicts that differed from the one before */
            readonly verdicts: components["schemas"]["Verdict"][];
            readonly version: string;
            /** @description how a rolled-back version leaves the devices; null unless it was rolled back from any */
            readonly withdrawal: components["schemas"]["Withdrawal"] | null;
        };
        /** @description A move of the release, or a verdict that differed from the one before. */
        ReleaseEvent: {
            /** @description system: automatically */
            readonly actor: string;
            /** Format: date-time */
            readonly at: string;
            readonly kind: components["schemas"]["ReleaseEventKindEnum"];
            /** @description action of a move, kind of a verdict */
            readonly name: string;
            /** @description the stage, counted from 0 */
            readonly position: number | null;
            /** @description state after a move; "" for a verdict */
            readonly state: string;
            /** @description reason, or the verdict in a sentence */
            readonly text: string;
        };
        /** @enum {string} */
        ReleaseEventKindEnum: "move" | "verdict";
        /** @description The effects of a release, if it were created and started now. None of it is stored. */
        ReleasePlan: {
            /**
             * Format: double
             * @description seconds that all stages take at the present rate of check-ins, time outside the window included; null: not known, or never
             */
            readonly about_s: number | null;
            readonly app: string;
            /** @description whether somebody other than its creator has to approve it */
            readonly approval: boolean;
            /**
             * Format: double
             * @description seconds that all stages take at least, without pauses and time outside the window
             */
            readonly at_least_s: number;
            /** @description of these, devices that have the version already */
            readonly installed: components["schemas"]["Counted"];
            /** @description of the task; the callers of a `pipeline` are not counted */
            readonly kind: string;
            /** @description devices that the rule matches */
            readonly matched: components["schemas"]["Counted"];
            /** @description release whose version devices return to if it is rolled back */
            readonly replaces: components["schemas"]["OtherRelease"] | null;
            readonly rule: {
                [key: string]: unknown;
            };
            readonly simulation: components["schemas"]["PlannedSimulation"];
            readonly stages: components["schemas"]["PlannedStage"][];
            /** @description the strategy with all defaults filled in */
            readonly strategy: {
                [key: string]: unknown;
            };
            readonly supersedes: components["schemas"]["Superseded"][];
            readonly task: string;
            /** @description estimated number of the app's devices */
            readonly total: number;
            readonly version: string;
            /** @description what is allowed but probably unintended */
            readonly warnings: components["schemas"]["PlanWarning"][];
        };
        /** @description How far a release has come. */
        ReleaseProgress: {
            /**
             * Format: date-time
             * @description its last move
             */
            readonly moved_at: string | null;
            readonly reached: components["schemas"]["Reached"];
            /** @description that it is in, or was in last; null: it has reached no device */
            readonly stage: components["schemas"]["PresentStage"] | null;
            /** @description number of its stages */
            readonly stages: number;
        };
        /** @description A release of a list. */
        ReleaseRow: {
            readonly app: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly created_by: string;
            readonly id: number;
            /** @description of the task; the devices of a `pipeline` are its callers */
            readonly kind: string;
            /** @description present stage, counted from 0 */
            readonly position: number | null;
            /** @description null without `details` */
            readonly progress: components["schemas"]["ReleaseProgress"] | null;
            /** @description which devices are eligible */
            readonly rule: {
                [key: string]: unknown;
            };
            readonly state: components["schemas"]["ReleaseState"];
            readonly task: string;
            readonly version: string;
        };
        ReleaseRowPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["ReleaseRow"][];
        };
        /** @description A release over time: cumulative counts at up to 240 moments. */
        ReleaseSeries: {
            /** @description the moments, in Unix seconds */
            readonly at: number[];
            /**
             * Format: double
             * @description probability that the bounds hold at all moments together
             */
            readonly confidence: number;
            readonly control: components["schemas"]["ArmSeries"];
            /**
             * Format: date-time
             * @description when devices were counted; null: now. Large numbers are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description the newest 200, in order */
            readonly events: components["schemas"]["ReleaseEvent"][];
            /** @description and its upper bound */
            readonly high: number[];
            /**
             * Format: double
             * @description the release fails when `low` reaches this failure rate
             */
            readonly limit: number;
            /** @description lower bound of treatment's failure rate, */
            readonly low: number[];
            /** @description seconds between two moments; 0: it has reached no device */
            readonly step_s: number;
            /** @description number of outcomes from which it may fail */
            readonly stop_after: number;
            /**
             * Format: double
             * @description failure rate at which the release fails
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
             * @description chosen by the device
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
            /** @description release that offered it; null: no valid offer token */
            readonly release: number | null;
            /**
             * Format: date-time
             * @description by the device's clock
             */
            readonly reported_at: string;
            /** @description of a report about several runs; null: about one */
            readonly runs: components["schemas"]["RunAggregate"] | null;
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
        RevocationRequest: {
            /** @description why, for the audit log */
            reason: string;
        };
        RevokedSpanRequest: {
            /**
             * Format: date-time
             * @description devices whose first check-in was before this time; now if left out
             */
            first_seen_before?: string;
            /**
             * Format: date-time
             * @description devices whose first check-in was at this time or later
             */
            first_seen_since: string;
            /** @description why, for the audit log */
            reason: string;
        };
        /** @enum {string} */
        Role: "viewer" | "developer" | "releaser" | "owner";
        /** @description The effects of rolling back a release, if it were done now. */
        RollbackPlan: {
            /**
             * Format: date-time
             * @description when they were counted; null: now. Large numbers are counted from time to time
             */
            readonly counted_at: string | null;
            /** @description number of the app's devices that have the version now, from any release */
            readonly devices: number;
            /** @description releases that decide about its devices then, the newest first */
            readonly goes_back_to: components["schemas"]["OtherRelease"][];
            /** @description other releases of the same version in progress, which stop */
            readonly held: components["schemas"]["SameVersion"][];
            /** @description whether it is in quarantine already */
            readonly is_quarantined: boolean;
            /** @description whether some devices, about which none of them decides, lose the task */
            readonly lose_it: boolean;
            /** @description version that goes into quarantine */
            readonly version: string;
            /** @description other releases of the same version, whose devices lose it through the quarantine */
            readonly withdrawn: components["schemas"]["SameVersion"][];
        };
        RotationRequest: {
            /**
             * @description how long the previous secret signs too
             * @default 24
             */
            overlap_hours: number;
        };
        RuleFault: {
            /** @description what was expected */
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
        /** @description The faults of a rule, and what it uses. */
        RuleValidation: {
            /** @description single devices that it names */
            readonly devices: number;
            readonly facts: components["schemas"]["FactAsked"][];
            readonly faults: components["schemas"]["RuleFault"][];
            readonly lists: components["schemas"]["ListAsked"][];
            /** @description whether a release with this rule would be accepted */
            readonly valid: boolean;
        };
        /** @description The vocabulary of targeting rules. */
        RuleVocabulary: {
            /** @description facts that exist without being declared */
            readonly facts: components["schemas"]["BuiltInFact"][];
            readonly operators: components["schemas"]["Operator"][];
            readonly types: components["schemas"]["FactType"][];
        };
        /** @description What several runs of a task were like together, which events triggered. */
        RunAggregate: {
            /** @description runs that began cold */
            readonly cold: number;
            /** @description runs that took place */
            readonly count: number;
            /**
             * Format: double
             * @description CPU time of all runs; null: not said
             */
            readonly cpu_ms: number | null;
            /** @description events that the runs were given */
            readonly events: number;
            readonly failed: number;
            /** @description the first kinds of failures, at most 5 */
            readonly failures: components["schemas"]["RunFailure"][];
            /**
             * Format: double
             * @description the longest; null: not said
             */
            readonly max_ms: number | null;
            /**
             * Format: double
             * @description half of the runs took at most so long; null: not said
             */
            readonly p50_ms: number | null;
            /**
             * Format: double
             * @description nine of ten; null: not said
             */
            readonly p90_ms: number | null;
            /**
             * Format: double
             * @description 99 of 100; null: not said
             */
            readonly p99_ms: number | null;
            /** @description runs that did not take place, because too many were waiting */
            readonly shed: number;
            /**
             * Format: double
             * @description when the first began, in Unix seconds by the device's clock
             */
            readonly since: number;
            /**
             * Format: double
             * @description when the last ended
             */
            readonly until: number;
        };
        /** @description One of the first failures among several runs. */
        RunFailure: {
            readonly count: number;
            readonly error_class: string;
            readonly message: string | null;
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
        ScenarioDetail: {
            /** @description every release has to be approved by somebody else than who made it */
            readonly approval_required: boolean;
            /** Format: date-time */
            readonly created_at: string;
            readonly description: string;
            /** @description Return whose signatures git's notes have, as lines of `gpg.ssh.allowedSignersFile`. */
            readonly git_signers: string[];
            readonly slug: string;
            readonly task_count: number;
        };
        ScenarioPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Scenario"][];
        };
        /** @description A version with what is known of its serving. */
        ServedVersion: {
            /** Format: date-time */
            readonly created_at: string;
            /** @description of the last minutes */
            readonly figures: components["schemas"]["PredictionFigures"];
            readonly manifest_digest: string;
            /** @description [serving] of its task.toml, defaults included */
            readonly serving: {
                [key: string]: unknown;
            };
            /** @description bytes of all its files */
            readonly size: number;
            readonly version: string;
        };
        /** @description One serving process. */
        ServingHost: {
            /** @description versions that are ready */
            readonly installed: number;
            /** @description versions that it isolated, because they failed */
            readonly isolated: number;
            /** @description whether it has not reported for longer than its lease */
            readonly lost: boolean;
            readonly name: string;
            /**
             * Format: date-time
             * @description when it last reported; every five seconds
             */
            readonly seen_at: string;
            /** Format: date-time */
            readonly started_at: string;
            /** @description what its runtime counts: memory, sharing, queues, reservations, caches */
            readonly state: {
                [key: string]: unknown;
            };
        };
        ServingHosts: {
            readonly hosts: components["schemas"]["ServingHost"][];
        };
        /** @description The session of a browser. */
        Session: {
            /** @description WALLE_DEBUG is on: the dashboard has pages for work on Walle itself */
            readonly debug: boolean;
            /** @description null: nobody is logged in */
            readonly user: components["schemas"]["SessionUser"] | null;
        };
        /** @description The user who is logged in. */
        SessionUser: {
            readonly preferences: components["schemas"]["Preferences"];
            /** @description site staff may do everything */
            readonly staff: boolean;
            readonly username: string;
        };
        SimulatedSample: {
            /** Format: double */
            readonly cpu_ms: number;
            /** Format: double */
            readonly duration_ms: number;
            /** @description isolation in effect, and on what system */
            readonly enforced: {
                [key: string]: string;
            };
            /** @description null: the run itself succeeded */
            readonly error_class: string | null;
            readonly message: string | null;
            /** @description expectations that were not met */
            readonly mismatches: string[];
            readonly name: string;
            readonly passed: boolean;
            /** @description peak resident memory, including the interpreter */
            readonly peak_memory_kb: number;
        };
        /** @description The newest simulation of a release, or the requested one. */
        Simulation: {
            /** @description number of the simulation of the release; 0: there was none yet */
            readonly attempt: number;
            readonly budget: components["schemas"]["SimulationBudget"];
            readonly cells: components["schemas"]["SimulationCell"][];
            /** @description null: there was none yet */
            readonly kind: components["schemas"]["SimulationKind"] | components["schemas"]["NullEnum"];
            readonly sentence: string;
        };
        /** @description The scenario's allowance of simulation workers, and why its waiting cells wait. */
        SimulationBudget: {
            /** @description maximum number of running cells */
            readonly at_once: number;
            /**
             * Format: date-time
             * @description when another cell may start at the earliest; null: when a running one has ended
             */
            readonly free_at: string | null;
            /** @description why its waiting cells wait; empty: none waits */
            readonly reason: string;
            /** @description running cells of all its releases */
            readonly running: number;
            readonly scenario: string;
            /**
             * Format: double
             * @description maximum of these seconds
             */
            readonly seconds_per_hour: number;
            /**
             * Format: double
             * @description seconds that its cells took within the last hour
             */
            readonly spent_s: number;
            /** @description waiting cells of all its releases */
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
            /** @description output of the samples, the failed ones first, up to 16 KiB */
            readonly logs: string;
            readonly os: string;
            readonly os_version: string;
            /** @description profile of the app version; empty: none is declared */
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
        /** @enum {string} */
        SpanningEnum: "device" | "cloud";
        SpanRequest: {
            /**
             * Format: date-time
             * @description devices whose first check-in was before this time; now if left out
             */
            first_seen_before?: string;
            /**
             * Format: date-time
             * @description devices whose first check-in was at this time or later
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
        /** @description How a task stands on devices. */
        Standing: {
            /** @description that have any version; large numbers are counted from time to time */
            readonly devices: number;
            /** @description of these runs */
            readonly failed: number;
            /** @description of about the last day */
            readonly runs: number;
            /** @description the one that most devices have; "" if none has a registered one */
            readonly version: string;
        };
        /** @description Cold runs or warm ones. */
        StartRuns: {
            /** @description null: no run says how long it took */
            readonly duration_ms: components["schemas"]["RunQuantiles"] | null;
            readonly failed: number;
            /** @description null: no run says how much it held */
            readonly peak_memory_kb: components["schemas"]["RunQuantiles"] | null;
            readonly runs: number;
        };
        /** @description What a stream task cost a device for the last day, and what it gave lately. */
        StreamCost: {
            /**
             * Format: double
             * @description CPU seconds of the runs of a day
             */
            readonly cpu_s: number;
            /** @description events that the runs were given */
            readonly events: number;
            readonly failed: number;
            /** @description the most frequent kinds, at most 5 */
            readonly failures: components["schemas"]["StreamFailure"][];
            /** @description newest first, at most 5; none of tasks that see private contents */
            readonly features: components["schemas"]["StreamFeature"][];
            /**
             * Format: double
             * @description half of the runs took at most so long; null: not said
             */
            readonly p50_ms: number | null;
            /**
             * Format: double
             * @description 99 of 100 runs took at most so long
             */
            readonly p99_ms: number | null;
            readonly runs: number;
            /** @description runs that did not take place, because too many were waiting */
            readonly shed: number;
            /**
             * Format: date-time
             * @description when the first of these runs began, by the device's clock
             */
            readonly since: string;
            readonly task: string;
            /** @description what was sent through the tunnel; null: not said */
            readonly tunnel: components["schemas"]["TunnelCost"] | null;
            /**
             * Format: date-time
             * @description when the last one ended
             */
            readonly until: string;
            /** @description that reported last */
            readonly version: string;
        };
        /** @description A kind of failure of a stream task's runs. */
        StreamFailure: {
            /** @description runs that failed so, as far as reports name them */
            readonly count: number;
            readonly error_class: string;
            /** @description told last; empty: none */
            readonly message: string;
        };
        /** @description The output of a run of a stream task: the last one of a report. */
        StreamFeature: {
            /**
             * Format: date-time
             * @description by the device's clock
             */
            readonly at: string;
            readonly output: {
                [key: string]: unknown;
            };
            /** @description runs that the report is about */
            readonly runs: number;
            readonly version: string;
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
            /** @description devices that have checked in and are not revoked */
            readonly known: number;
            /** @description of these, seen in the last two minutes */
            readonly online: number;
            readonly os: string;
            readonly os_version: string;
            /** @description of these, with any task installed */
            readonly with_tasks: number;
        };
        /** @description The table from which gateways answer the app's devices. */
        Table: {
            /** @description by region; the empty region stands for all others */
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
            /** @description retired tasks, which devices remove */
            readonly removals: string[];
            /** @description pairs of a task and a rolled-back manifest, which devices remove */
            readonly withdrawn: string[][];
        };
        TableEntry: {
            /** @description millionths in the control group */
            readonly control: number;
            /** @description whether the version has exclusive files for some devices */
            readonly exclusive: boolean;
            /** @description digest of the manifest that eligible devices get */
            readonly manifest: string;
            /** @description offer; hold: paused, no new device gets it; keep: ended, devices that have it keep it */
            readonly mode: components["schemas"]["TableEntryModeEnum"];
            /** @description whether exposures are logged */
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
        /** @enum {string} */
        TableEntryModeEnum: "offer" | "hold" | "keep";
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
        /** @description What arrived of one task. */
        TaskFeatures: {
            readonly features: number;
            /** Format: double */
            readonly p50_ms: number | null;
            /** Format: double */
            readonly p90_ms: number | null;
            /** Format: double */
            readonly p99_ms: number | null;
            readonly raw_bytes: number;
            /** @description its features by step */
            readonly steps: number[];
            readonly task: string;
            readonly wire_bytes: number;
        };
        TaskPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Task"][];
        };
        /** @description A task of a list. */
        TaskRow: {
            /**
             * Format: date-time
             * @description when a version was last added; without any, when it was created
             */
            readonly changed_at: string;
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
            /** @description null without `details` */
            readonly standing: components["schemas"]["Standing"] | null;
            readonly version_count: number;
        };
        TaskRowPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["TaskRow"][];
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
            /** @description whose bytecode devices get; empty: the source */
            readonly interpreter: string;
            /** @description what runs it: every device, or an engine */
            readonly kind: string;
            /** @description digest by which devices identify the version */
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
            readonly cloud: components["schemas"]["CloudHalf"] | null;
            readonly commit: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly files: components["schemas"]["VersionFile"][];
            /** @description whose bytecode devices get; empty: the source */
            readonly interpreter: string;
            /** @description what runs it: every device, or an engine */
            readonly kind: string;
            /** @description Return the signed payload. */
            readonly manifest: {
                [key: string]: unknown;
            };
            /** @description digest by which devices identify the version */
            readonly manifest_digest: string;
            readonly message: string;
            readonly models: components["schemas"]["ModelPlan"][];
            /** @description why it may not be released */
            readonly quarantine: components["schemas"]["Quarantine"] | null;
            /** @description Return why nothing can run it, so that it is not released; empty: it can be run, or nobody has tried yet. */
            readonly refusal: string;
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
            /** @description Return what is valid in its task.toml, but hardly meant. */
            readonly warnings: string[];
        };
        TaskVersionPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["TaskVersion"][];
        };
        /** @enum {string} */
        ThemeEnum: "light" | "dark" | "auto";
        /** @description A token without its secret, which is not stored. */
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
        /** @description What the device sent of a task's features. */
        TunnelCost: {
            /** @description of all tasks: how often the tunnel was opened */
            readonly connects: number;
            /** @description of all tasks: features dropped, because too many were waiting */
            readonly dropped: number;
            readonly features: number;
            /** @description of their values as JSON */
            readonly raw_bytes: number;
            /** @description that were sent, also those sent again */
            readonly wire_bytes: number;
        };
        /** @enum {string} */
        TypeEnum: "text" | "number" | "boolean" | "version";
        /** @description A release in progress. */
        UnderWay: {
            readonly app: string;
            readonly id: number;
            /**
             * Format: date-time
             * @description its last move
             */
            readonly moved_at: string | null;
            readonly reached: components["schemas"]["Reached"];
            /** @description null: it has reached no device yet */
            readonly stage: components["schemas"]["PresentStage"] | null;
            /** @description number of its stages */
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
            /** @description figures and the result of each test */
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
            /** @description commits that the version has and `base` does not, the newest 50; null: git lost them */
            readonly commits: components["schemas"]["Commit"][] | null;
            /** @description commits that `base` has and the version does not, likewise */
            readonly dropped_commits: components["schemas"]["Commit"][] | null;
            /** @description what changed in task.toml */
            readonly fields: components["schemas"]["FieldChange"][];
            readonly files: components["schemas"]["FileChange"][];
            readonly task: string;
            readonly version: string;
        };
        VersionFile: {
            /** @description shared file used without a variant */
            readonly default: string;
            /** @description SHA-256 of a shared file or a source */
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
        /** @description A webhook without its secret, which is never shown again. */
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
             * @description until then the previous secret signs too; null: only the present one signs
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
        /** @description The version of a rolled-back release on its way off the devices. */
        Withdrawal: {
            /** Format: date-time */
            readonly began_at: string;
            /** Format: date-time */
            readonly counted_at: string;
            /** @description pairs of Unix seconds and the devices that had it from then on */
            readonly curve: number[][];
            /** @description that had the version */
            readonly devices: number;
            /**
             * Format: date-time
             * @description null: some still have it, or may have it
             */
            readonly ended_at: string | null;
            /** @description of these, not heard of lately: they give it up when they come back */
            readonly offline: number;
            /** @description that still have it */
            readonly remaining: number;
            /**
             * Format: date-time
             * @description by then every device that can reach the server has heard of it
             */
            readonly told_by: string;
        };
        Workflow: {
            /** @description null: it was never placed */
            readonly last_placement: components["schemas"]["Placement"] | null;
            readonly scenario: string;
            readonly slug: string;
            /** Format: date-time */
            readonly updated_at: string;
            readonly updated_by: string;
        };
        WorkflowDetail: {
            /** @description as in docs/workflow-format.md */
            readonly document: {
                [key: string]: unknown;
            };
            readonly scenario: string;
            readonly slug: string;
            /** Format: date-time */
            readonly updated_at: string;
            readonly updated_by: string;
        };
        WorkflowPage: {
            /** @description `cursor` of the next page; null on the last */
            next: string | null;
            results: components["schemas"]["Workflow"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_mail_settings: {
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
                    "application/json": components["schemas"]["MailSettings"];
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
    change_mail_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedMailChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailSettings"];
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
    put_mail_address: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailSettings"];
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
    confirm_mail_address: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailSettings"];
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
    send_test_mail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
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
                    "application/json": components["schemas"]["Mail"];
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
    list_apps: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
    change_app_member: {
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
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedRoleChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
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
                "application/json": components["schemas"]["RevokedSpanRequest"];
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description the complete id */
                device?: string;
                /** @description any other fact, one by one: fact.model=Pixel 8, fact.user.age_band=18-29; 8 also means the number, true also the boolean */
                facts?: {
                    [key: string]: string;
                };
                /** @description devices whose first check-in was before this time */
                first_seen_before?: string;
                /** @description devices whose first check-in was at this time or later */
                first_seen_since?: string;
                /** @description maximum number of results on the page */
                limit?: number;
                /** @description as the device says */
                os?: string;
                /** @description the beginning of the id */
                q?: string;
                revoked?: boolean;
                /** @description a targeting rule in JSON; takes app, whose lists it may name */
                rule?: string;
                /** @description devices whose last check-in was before this time */
                seen_before?: string;
                /** @description devices whose last check-in was at this time or later */
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
                    "application/json": components["schemas"]["DeviceRowPage"];
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
                /** @description an earlier moment to explain, as far as it is kept; left out: the next check-in */
                at?: string;
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
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevocationRequest"];
            };
        };
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
    get_device_streams: {
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
                    "application/json": components["schemas"]["DeviceStreams"];
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
    get_device_timeline: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description the complete id */
                device?: string;
                /** @description count every device, however long that takes */
                exact?: boolean;
                /** @description any other fact, one by one: fact.model=Pixel 8, fact.user.age_band=18-29; 8 also means the number, true also the boolean */
                facts?: {
                    [key: string]: string;
                };
                /** @description devices whose first check-in was before this time */
                first_seen_before?: string;
                /** @description devices whose first check-in was at this time or later */
                first_seen_since?: string;
                /** @description as the device says */
                os?: string;
                /** @description the beginning of the id */
                q?: string;
                revoked?: boolean;
                /** @description a targeting rule in JSON; takes app, whose lists it may name */
                rule?: string;
                /** @description devices whose last check-in was before this time */
                seen_before?: string;
                /** @description devices whose last check-in was at this time or later */
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
    list_features: {
        parameters: {
            query?: {
                app?: string;
                /** @description received before this time */
                before?: string;
                /** @description `next` of the previous page */
                cursor?: string;
                device?: string;
                /** @description maximum number of results on the page */
                limit?: number;
                /** @description received at this time or later */
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
                    "application/json": components["schemas"]["FeatureRowPage"];
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
    get_feature: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a feature */
                feature: number;
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
                    "application/json": components["schemas"]["Feature"];
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
    list_feature_arrivals: {
        parameters: {
            query?: {
                app?: string;
                /** @description `next` of the previous answer, or the `cursor` of a feature */
                cursor?: string;
                device?: string;
                /** @description maximum number of results on the page */
                limit?: number;
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
                    "application/json": components["schemas"]["Arrivals"];
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
    get_feature_consumers: {
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
                    "application/json": components["schemas"]["FeatureConsumers"];
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
    export_features: {
        parameters: {
            query?: {
                app?: string;
                /** @description received before this time */
                before?: string;
                /** @description only what follows this `cursor` */
                cursor?: string;
                device?: string;
                format?: "ndjson" | "parquet";
                /** @description received at this time or later */
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
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
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
    get_feature_rates: {
        parameters: {
            query?: {
                app?: string;
                /** @description how far back */
                minutes?: number;
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
                    "application/json": components["schemas"]["FeatureRates"];
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
                /** @description only this app; all that you may see if left out */
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
    acknowledge_concern: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcknowledgementInputRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Concern"];
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
    reopen_concern: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConcernInputRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Concern"];
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
    get_fleet_pulse: {
        parameters: {
            query?: {
                /** @description only this app; all that you may see if left out */
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
    change_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedPreferencesChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
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
    list_pipelines: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
                limit?: number;
                /** @description text in the name, <scenario>/<task> */
                q?: string;
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
                    "application/json": components["schemas"]["PipelinePage"];
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
    get_pipeline: {
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
                    "application/json": components["schemas"]["PipelineDetail"];
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
    get_pipeline_series: {
        parameters: {
            query?: {
                /** @description how far back */
                minutes?: number;
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
                    "application/json": components["schemas"]["PipelineSeries"];
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
    explain_pipeline_version: {
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
                    "application/json": components["schemas"]["PipelineExplanation"];
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
    list_placements: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
                limit?: number;
                scenario?: string;
                workflow?: string;
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
                    "application/json": components["schemas"]["PlacementPage"];
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
    get_placement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a placement */
                placement: number;
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
                    "application/json": components["schemas"]["PlacementDetail"];
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
    apply_placement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a placement */
                placement: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanToApplyRequest"];
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
    cancel_placement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a placement */
                placement: number;
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
                    "application/json": components["schemas"]["Placement"];
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
    list_releases: {
        parameters: {
            query?: {
                app?: string;
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description also how far each has come */
                details?: boolean;
                /** @description only these releases: up to 200 numbers, separated by commas */
                id?: string;
                /** @description maximum number of results on the page */
                limit?: number;
                /** @description order; without it, the last created first */
                order?: "app" | "created_at" | "moved_at" | "state" | "task" | "-app" | "-created_at" | "-moved_at" | "-state" | "-task";
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
                    "application/json": components["schemas"]["ReleaseRowPage"];
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
                /** @description action to take */
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
    plan_clone: {
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
                    "application/json": components["schemas"]["ClonePlan"];
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
                became?: "drawn" | "offered" | "installed" | "healthy" | "failed" | "silent" | "awaiting_trigger" | "deferred";
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description class of a failure */
                error_class?: string;
                /** @description maximum number of results on the page */
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
                /** @description received before this time */
                before?: string;
                /** @description `next` of the previous page */
                cursor?: string;
                device?: string;
                /** @description such as MemoryError */
                error_class?: string;
                evidence?: boolean;
                kind?: "install" | "run" | "remove";
                /** @description maximum number of results on the page */
                limit?: number;
                outcome?: "success" | "failure";
                release?: number;
                /** @description received at this time or later */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
                limit?: number;
                /** @description text in the slug or the description */
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
                    "application/json": components["schemas"]["ScenarioDetail"];
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
    change_scenario_member: {
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
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedRoleChangeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
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
    list_tasks: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
                limit?: number;
                /** @description text in the name, <scenario>/<task> */
                q?: string;
                /** @description only retired tasks, or only others */
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
    list_serving_hosts: {
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
                    "application/json": components["schemas"]["ServingHosts"];
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
    get_serving_host_series: {
        parameters: {
            query?: {
                /** @description how far back */
                minutes?: number;
            };
            header?: never;
            path: {
                /** @description name of a serving host */
                host: string;
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
                    "application/json": components["schemas"]["HostSeries"];
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
    list_sessions: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                    "application/json": components["schemas"]["BrowserSessionPage"];
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
    end_other_sessions: {
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
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of a session */
                session: number;
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
    list_all_tasks: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description also how each stands on devices */
                details?: boolean;
                /** @description maximum number of results on the page */
                limit?: number;
                /** @description order; without it, the last created first */
                order?: "changed_at" | "created_at" | "name" | "version_count" | "-changed_at" | "-created_at" | "-name" | "-version_count";
                /** @description text in the name, <scenario>/<task> */
                q?: string;
                /** @description only retired tasks, or only others */
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
                    "application/json": components["schemas"]["TaskRowPage"];
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description include the files of its samples, even if devices do not install them, and those of its cloud half */
                samples?: boolean;
                /** @description with the registered sources in the place of the bytecode that devices install */
                source?: boolean;
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
                /** @description message of the commit and the tag; the tag's name if left out */
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
                /** @description path of a shared file, a source or a file of the cloud half */
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
                /** @description `next` of the previous page */
                cursor?: string;
                key?: string;
                /** @description maximum number of results on the page */
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
                /** @description value of the file's template for a device's facts */
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
                /** @description value of the file's template for a device's facts */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
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
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description such as release.start */
                event?: string;
                /** @description maximum number of results on the page */
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
    list_workflows: {
        parameters: {
            query?: {
                /** @description `next` of the previous page */
                cursor?: string;
                /** @description maximum number of results on the page */
                limit?: number;
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
                    "application/json": components["schemas"]["WorkflowPage"];
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
    get_workflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a workflow within its scenario */
                workflow: string;
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
                    "application/json": components["schemas"]["WorkflowDetail"];
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
    put_workflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a workflow within its scenario */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWorkflowRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDetail"];
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
    delete_workflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a workflow within its scenario */
                workflow: string;
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
    request_placement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description slug of a scenario */
                scenario: string;
                /** @description slug of a workflow within its scenario */
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewPlacementRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Placement"];
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
