// Generated from openapi.json by `npm run sdk:types`. Do not edit.

export interface paths {
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the keys that sign access tokens
         * @description Returns the public keys (RFC 7517) that verify access tokens of this service. Cache them: the response allows five minutes. Keys are rotated, so fetch the set again for an unknown `kid`.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how tokens are issued (RFC 8414)
         * @description Returns where and how a client gets access tokens of this service. OAuth libraries read it to configure themselves. It needs no token.
         */
        get: operations["getAuthorizationServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which tokens this service accepts (RFC 9728)
         * @description Returns the issuers whose access tokens this service accepts, and the scopes it knows. With an external issuer configured, both issuers are listed. It needs no token.
         */
        get: operations["getProtectedResourceMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/applicants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Browse and search applicants
         * @description Returns primary applicants and dependents page by page, in order of their names. Without a filter it lists all of them; with several, a record must match all. With `archived=true` it searches archived records instead.
         *
         *     Names and passport numbers are compared without case, accents, spaces, hyphens, apostrophes and other punctuation, and with `ł ø đ ß æ œ þ ı` as `l o d ss ae oe th i`: `lukasz` finds Łukasz, `obrien` finds O’Brien. Only the first 200 characters of a text count.
         *
         *     Records whose whole number, e-mail address or passport number equals `q` come first, then those whose last name begins with `q` or `name`, then those whose first name does.
         *
         *     With `summary=true` each record also has what expires next and how many cases are open, and a primary applicant has its dependents, each with the same.
         */
        get: operations["searchApplicants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/applicants/{applicantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a person by id
         * @description Returns a primary applicant or a dependent as the search lists it, also an archived one: `primaryApplicantId` names the family that a dependent belongs to. Use it where only the id of a person is known, as in a document or a timeline.
         */
        get: operations["getFoundApplicant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/applicants/{applicantId}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a document for a person
         * @description Stores a file in the repository of the country, for a primary applicant or dependent, without a case. The document is no item of the applicant record, so that no write of the record changes or removes it.
         *
         *     Files of other kinds than these are rejected (415). Accepted are PDF; images (JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC); docx, xlsx, pptx, odt, ods and odp without macros or embedded objects; txt and csv; e-mail (eml, msg). The extension of the name must match the content. PDF and images may have each other’s extensions, or none. The media type is detected; that of the part is ignored.
         *
         *     Send `countryCode` before `document`, so that the bytes go directly to the repository of that country. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["uploadApplicantDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/applicants/{applicantId}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge two records of one person
         * @description The record of the path absorbs the record `from`, in one transaction. Cases with their steps and notes, documents and dependents of the absorbed record move, and count as updated now. Dependents that both have, by the rules of Update applicant, are merged in the same way. Items of lists keep their ids. The absorbed record is not found any more (404, with `mergedInto`).
         *
         *     One employee number remains, the other one is retired: 409 where it is used again. Two primary applicants can be merged, two dependents, or a primary applicant and its own dependent. Send `If-Match` for the record of the path and `fromVersion` for the other one to merge only what you have compared.
         *
         *     With `dryRun` nothing is written: the response has the record as it would be, and what would move. The operation needs the scope `applicants:write` too. The merged record stays in the sight of a caller who is limited to some companies: 422 `unknown-company` where its `sendingCompany` would be none of them; choose `target` for it.
         */
        post: operations["mergeApplicantRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/applicants/{applicantId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived dependent
         * @description Restores a dependent that a replace has archived, under its former primary applicant and with the same id. If its employee number was assigned to another person or retired in the meantime, the request is rejected (409); send `withoutEmployeeNumber` to restore it without the number. A primary applicant with 100 dependents gets no further one (400).
         */
        post: operations["restoreApplicant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/applicants/{applicantId}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the timeline of a person
         * @description Returns what happened to the record of a primary applicant or a dependent, also an archived one, and to all cases and documents of this person, newest first and page by page: changes with who made them and which fields they changed, notes (those of the team too), documents that were added, and reminders that came due. Values before and after a change are returned to callers who may read the record: `applicants:read`, `cases:read` and `documents:read`. Reads, and calls that changed nothing, are in the audit log only.
         */
        get: operations["getApplicantTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Returns the audit log in order of time, page by page: who read or changed which records in which request, from where, and with which outcome. It includes calls that were refused or failed, token requests, and reads of this log. An entry is stored before the response that it is about is sent. Entries are never changed; the owner of the database can remove whole months, which is an entry itself.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description Streams all entries of a time range in order of time, one JSON object a line, each as `GET /admin/v1/audit` returns it. A response that ends without its last chunk is incomplete: request the range again. Entries of a transaction appear when it commits, at most a minute after their time, so end a range a minute ago, or begin the next one a minute earlier and skip entries whose `seq` is known.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/blocked-callers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the blocked callers
         * @description Returns all blocked callers of the external issuer in one array, in the order in which they were blocked. Disabled clients are in the list of clients instead.
         */
        get: operations["listBlockedCallers"];
        put?: never;
        /**
         * Block a caller of the external issuer
         * @description Rejects all tokens of a caller of the external issuer (`OIDC_ISSUER`), those in use included: at once in this service, within five seconds in others on the same database. Blocking a blocked caller again returns the existing entry (200).
         *
         *     `caller` is the `clientId` of the audit. Without its last part, `oidc:<issuer>:<subject>`, it blocks the subject whatever client it uses; with an empty subject, `oidc:<issuer>::<client>`, the client whatever its subject.
         */
        post: operations["blockCaller"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/blocked-callers/{blockId}": {
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
         * Unblock a caller
         * @description Accepts the tokens of the caller again, those from before that have not expired included. A block that was removed before is not found (404).
         */
        delete: operations["unblockCaller"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cases
         * @description Returns cases page by page, in the order of `sort`. With several filters, a case must match all of them.
         *
         *     A due date is that of the case or of one of its unfinished steps, whichever comes first; closed cases have none. In the order of `dueDate` they come last. Days are UTC.
         *
         *     A company, user, type or country that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it.
         */
        get: operations["listCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/cases/{caseId}": {
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
         * Change a case
         * @description Changes only the fields in the body. Null, or empty text, clears a field; `caseType` and the three companies cannot be cleared. `metadata` is the whole list. The applicant is changed through the Applicant API, and existing steps stay, whatever `processName` and `caseType` become. A repetition is a no-op.
         *
         *     Allowed changes of `status` are `open` to `pending` and back, both of them to `closed`, and `closed` to `open`; any other is rejected (409).
         *
         *     A case belongs to each of its three companies. A caller who is limited to some companies can change these only where the sending company is one of its own, and stays so.
         *
         *     Emits `case.status_changed` if the status changes, and `case.updated` if any other field does.
         */
        patch: operations["patchCase"];
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/checklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the checklist of a case
         * @description Returns the documents that the case needs, each with its state and the document that fills it. Until the checklist of the case is saved, its items are those of its process, and change with it.
         *
         *     Documents of the case and those of its applicant fill items: the one that was chosen, or else the newest whose type, or name if the item has no type, is that of the item. Supports `If-None-Match`.
         */
        get: operations["getCaseChecklist"];
        /**
         * Replace the checklist of a case
         * @description Replaces all items: what is needed, which document fills it, and whether it is accepted. From then on the case has a checklist of its own. An acceptance holds for the document and the version of its file. Sending the same list again changes nothing. A caller that does not see the document that another company of the case has chosen for an item leaves it as it is by sending no `documentId`. Emits `case.checklist_changed`.
         */
        put: operations["putCaseChecklist"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write a note on a case
         * @description Adds a note. The author is the person who is signed in; a client can name an `author`, else it is the id of the client. Emits `case.note_added` if everyone sees the note; a note for the team is announced to nobody. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["addCaseNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/notes/{noteId}": {
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
         * Correct a note
         * @description Changes the content or the visibility of a note. The author and the time of creation stay, and the version before is kept. The note appears as updated in Get case notes with `type=updated`. Its ETag is its `version` in quotes. Emits `case.note_changed` if everyone saw the note, `case.note_added` if everyone sees it from then on. A repetition is a no-op.
         */
        patch: operations["patchCaseNote"];
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/notes/{noteId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all versions of a note
         * @description Returns all versions of a note, the current one first, in one array without pages: what it said, who saw it, who wrote it and when. A caller without `cases:read` gets no content.
         */
        get: operations["getCaseNoteVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a step to a case
         * @description Adds a step that is not started. It becomes the last one, or takes the position `sequence` and moves the steps from there on by one. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["addCaseStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/steps/{stepId}": {
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
         * Change a step
         * @description Changes only the fields in the body and emits `case.step_changed`. Allowed status changes: `notStarted` to `inProgress`, `completed` or `waived`; `inProgress` to `completed` or `waived`; `completed` to `inProgress`; `waived` to `notStarted`, which clears both dates. Any other is rejected (409).
         *
         *     A step that starts or ends without a date gets the current day; one that goes from `notStarted` to `completed` with an earlier `completionDate` starts on that day. If its start was planned for a later day, it starts on the day on which it is begun or completed. A `startDate` that is sent stays. A `completionDate` is rejected with the status `notStarted` or `inProgress`.
         *
         *     A step of a process with `dueDays` is due that many days after its `startDate`, also if that is changed. A `dueDate` that is sent stays, whatever the start becomes.
         */
        patch: operations["patchCaseStep"];
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/steps/{stepId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a step and start the next
         * @description Completes the step, and starts the first step after it that is neither completed nor waived, both or none. The next step starts on the current day; one that is in progress already stays as it is. If the start of one of the two was planned for a later day, that becomes its day of completion or the current day. A repetition for a completed step changes nothing and starts nothing. A waived step is rejected (409). Emits `case.step_changed` for each step that changes.
         */
        post: operations["completeCaseStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/cases/{caseId}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the timeline of a case
         * @description Returns what happened to a case, its steps, notes and documents, newest first and page by page: changes with who made them and which fields they changed, notes (those of the team too), documents that were added, and reminders that came due. Values before and after a change are returned to callers who may read the record: `applicants:read`, `cases:read` and `documents:read`. Reads, and calls that changed nothing, are in the audit log only.
         */
        get: operations["getCaseTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clients
         * @description Returns all clients in one array without pages, disabled ones included, each with its current and revoked API keys. Secrets and keys are never returned. A limited caller gets the clients that have only companies of its own.
         */
        get: operations["listClients"];
        put?: never;
        /**
         * Create a client
         * @description Creates a client and returns its secret. No later response has the secret again, but for a retry with the same `Idempotency-Key`. To give an API key to a caller of the external issuer, create a client with the id of that caller, `oidc:<issuer>:<subject>:<client>` as in the `clientId` of the audit; it gets no secret. Only callers that see all companies can manage such a client. The caller must have every scope that it gives to the client.
         */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/clients/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a client
         * @description Returns the client with its scopes and its current and revoked API keys. Secrets and keys are never returned.
         */
        get: operations["getClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a client
         * @description Changes only the fields in the body. `companies` hold at once in this service and within five seconds in others on the same database, also for issued tokens; those keep their scopes until they expire. Webhooks of the client lose the companies that it loses, and its imports end. A caller can grant only what it has itself.
         */
        patch: operations["patchClient"];
        trace?: never;
    };
    "/admin/v1/clients/{clientId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an API key
         * @description Creates an API key and returns it. No later response has it again. The key is valid only together with an access token of the same client. A client may have several keys.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/clients/{clientId}/api-keys/{keyId}": {
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
         * Revoke an API key
         * @description Makes the key invalid at once and for good. The client still lists it, with `revokedAt`. A key that was revoked before is not found (404).
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/clients/{clientId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a client
         * @description Stops a client: it gets no new tokens, and its current tokens are rejected. This takes effect at once in this service and within five seconds in others on the same database. Disabling a disabled client keeps its `disabledAt`.
         */
        post: operations["disableClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/clients/{clientId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a disabled client
         * @description Lets a disabled client get tokens again, with the secret, scopes and API keys it had. Tokens from before that have not expired are valid again. Enabling an enabled client has no further effect.
         */
        post: operations["enableClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/clients/{clientId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a client
         * @description Creates a new secret and returns it. No later response has it again. The old secret stays valid for `graceSeconds`, so that the client can be switched over without downtime. Issued tokens stay valid until they expire.
         */
        post: operations["rotateClientSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/colleagues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List colleagues
         * @description Returns the active users that a case can be assigned to, in order of their names, in one array without pages. A caller that is limited to companies gets the users of these companies only. Only names are returned; List the users returns the rest.
         */
        get: operations["listColleagues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/companies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the companies
         * @description Returns all companies in order of their names, in one array without pages. Inactive companies are included. A limited caller gets its own.
         */
        get: operations["listCompanies"];
        put?: never;
        /**
         * Create a company
         * @description Creates a company that cases can name by its name, code or id. Name and code must be unique without regard to case. The company is active unless `active` is false. Applicants whose `sendingCompany` names it belong to it from then on. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["createCompany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/companies/{companyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a company
         * @description Returns one company, active or inactive. Supports `If-None-Match`.
         */
        get: operations["getCompany"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a company
         * @description Changes only the fields in the body. Companies cannot be deleted, because cases name them; set `active` to false instead, and new cases cannot name it. Applicants whose `sendingCompany` names its new name or code belong to it, and those that named the former one no longer do. Sending the same body again changes nothing.
         */
        patch: operations["patchCompany"];
        trace?: never;
    };
    "/admin/v1/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List documents for operators
         * @description Returns documents of applicant records and of cases page by page, in the order of `sort`. With several filters, a document must match all of them. Documents that never expire come last in the order of `expiryDate`. Removed documents are not listed.
         *
         *     An id or type that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it. To keep a copy by polling, use List documents.
         */
        get: operations["listAllDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a document, also a removed one
         * @description Returns the document with the version of its file and, if it was removed, when, by whom and why. `/v2/document/{documentId}` returns 404 for a removed document; this operation does not. Supports `If-None-Match`.
         */
        get: operations["getDeskDocument"];
        put?: never;
        post?: never;
        /**
         * Remove a document
         * @description Removes a document, with a reason that is kept for the audit. Afterwards reads return 404, lists and the applicant record leave it out, and it gives its bytes back to the quota. File and versions are kept: Restore a document brings it back. Removing it again is an error (404). Emits `document.removed`.
         *
         *     A document of an applicant record stays removed while later writes of the record send it as it was; a write that sends it differently, such as with another expiry date, brings it back.
         */
        delete: operations["removeDocument"];
        options?: never;
        head?: never;
        /**
         * Correct a document
         * @description Changes only the fields in the body; null clears a field. Sending stored values again changes nothing, not even `updatedAt`. A new expiry date restarts the reminders. Emits `document.updated`.
         *
         *     A document of an applicant record changes there too. The correction holds while later writes of the record send the document as it was before; a write that sends it differently replaces it.
         */
        patch: operations["correctDocument"];
        trace?: never;
    };
    "/admin/v1/documents/{documentId}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload a new version of a file
         * @description Stores the file as the current version of the document, or as its first file. The version before it is kept: List the versions of a file, Download a version of a file. Sending the current file again, under its name, changes nothing. Emits `document.updated`.
         *
         *     Files of other kinds than these are rejected (415). Accepted are PDF; images (JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC); docx, xlsx, pptx, odt, ods and odp without macros or embedded objects; txt and csv; e-mail (eml, msg). The extension of the name must match the content. PDF and images may have each other’s extensions, or none. The media type is detected; that of the part is ignored.
         *
         *     `countryCode` may be left out where the document has a file: the new version goes to the same repository.
         */
        put: operations["putDocumentFile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/documents/{documentId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a file
         * @description Returns all versions of the file of a document, the current one first, in one array without pages. The array is empty for a document without a file.
         */
        get: operations["listDocumentFileVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/documents/{documentId}/files/{fileVersion}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a version of a file
         * @description Returns this version of the file as an attachment, as Download document does for the current one: with `Range`, `If-None-Match`, and every part verified before it is sent.
         */
        get: operations["downloadDocumentFileVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/documents/{documentId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a document
         * @description Brings a removed document back, with its file. A document of an applicant record becomes the last one of the record; if a write of the record had left it out, the next one that leaves it out removes it again. A document that is not removed is returned as it is. A record with 500 documents gets no further one (400). Emits `document.updated`.
         */
        post: operations["restoreDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/duplicates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List possible duplicates
         * @description Returns pairs of records that may be the same person, the highest score first. They have the same passport (number and country, compared as in Update applicant; a missing country matches any), the same first name, last name and day of birth (without case, accents and punctuation), or the same e-mail address.
         *
         *     Members of one family are a pair only if their name and day of birth are the same. A value that more than 20 records have is ignored. A record that was written is compared within seconds.
         */
        get: operations["listDuplicates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/duplicates/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss a possible duplicate
         * @description States that the two records are not the same person, and removes the pair from the list. It stays out until one of the records changes in what they have in common. Dismissing a pair again returns the first dismissal.
         */
        post: operations["dismissDuplicate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what expires
         * @description Returns passports and documents with an expiry date in one list, by this date. Passports and record documents of archived people are left out, and so is a passport while the same person has another one of the same country that expires later.
         *
         *     With several filters, an item must match all of them. A company that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it.
         */
        get: operations["listExpiring"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who is calling
         * @description Returns the person who is signed in, or the client that the access token belongs to, with its roles, scopes and companies. It needs no particular scope.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get whether you have a calendar
         * @description Returns when the address of your calendar was made. The address itself is returned only once, when it is made: the service stores a hash of it.
         */
        get: operations["getMyCalendar"];
        put?: never;
        /**
         * Make or renew the address of your calendar
         * @description Returns an address that calendar programs subscribe to, without a cookie. Anyone who knows it reads the calendar, so keep it secret. Each call makes a new address and ends the former one; it also ends when you are disabled.
         */
        post: operations["createMyCalendar"];
        /**
         * End your calendar
         * @description The address stops working at once. Without a calendar the request is rejected (404).
         */
        delete: operations["deleteMyCalendar"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/merges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List merges
         * @description Returns merges, the latest first, those that were undone included. A caller who is limited to some companies sees the merges of records that both belonged to them.
         */
        get: operations["listMerges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/merges/{mergeId}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a merge
         * @description Restores both records as they were before the merge, with their employee numbers, dependents and documents. Cases that were moved go back, with everything that happened in them since. A document that the desk has removed since stays removed.
         *
         *     This is possible while neither record was changed since: 409 `changed-since-merge` names the record, dependent or case that was changed or added, a record whose item has an id that another person has now, or one that the caller would not see. Of several merges of one record, the latest is undone first. The operation needs the scope `applicants:write` too.
         */
        post: operations["undoMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the renewal notifications
         * @description Returns renewal notifications in order of creation, page by page. Each document with reminders has one for each reminder of its schedule, and so has each passport if `PASSPORT_REMINDER_DAYS` is set. If several were missed, only the latest is created, and none after the expiry date.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Overview
         * @description Returns how many cases, passports and documents need attention, of those that the caller sees. Each number is the `total` of a list: List cases with `status`, `due` or `assignee=none`, List what expires with `within`, List imports with `status=held`, and List the webhooks with `failing=true`. Days are UTC.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the processes
         * @description Returns all processes in order of their names, in one array without pages. The built-in default process is not listed.
         */
        get: operations["listProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/processes/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or replace a process
         * @description Creates or replaces the template of steps with this name. A new case uses the process that its `processName` names; else the one for its `caseType` and `hostCountry`, where codes of two and three letters are equal (`DE`, `DEU`); else the one for its `caseType` and any country; else a built-in default. Existing cases keep their steps and due dates.
         */
        put: operations["putProcess"];
        post?: never;
        /**
         * Delete a process
         * @description Deletes the template. Existing cases keep their steps. New cases that name it get a warning, and use another process or the built-in default.
         */
        delete: operations["deleteProcess"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/processes/{name}/checklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the checklist of a process
         * @description Returns the documents that cases of this process need. The list is empty until it is set.
         */
        get: operations["getProcessChecklist"];
        /**
         * Replace the checklist of a process
         * @description Replaces the documents that cases of this process need. It holds at once for cases whose own checklist was never saved. Sending the same list again changes nothing.
         */
        put: operations["putProcessChecklist"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search everything
         * @description Returns the 10 best matches of each kind: people by name, employee number, e-mail address or passport number; cases by these, by their id or by the beginning of the process name; documents by whole reference number or the beginning of the name; companies by name, code or id.
         *
         *     Names of people are compared as in Browse and search applicants, which also has further pages. Archived people and removed documents are left out.
         */
        get: operations["globalSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users
         * @description Returns all users in order of their e-mail addresses, in one array without pages. A caller that is limited to companies sees the users of these companies only.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Creates a user and returns a link that works once, for 72 hours: with it the person chooses a password or a passkey. Pass the link on yourself; no e-mail is sent. A caller cannot give roles or companies that it lacks.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Returns one user, active or not, with roles and companies. Supports `If-None-Match`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Changes only the fields in the body. Setting `active` to false ends all sessions of the person; this and new roles hold within five seconds in all services. The last active administrator of all companies can neither be disabled nor lose that role.
         */
        patch: operations["patchUser"];
        trace?: never;
    };
    "/admin/v1/users/{userId}/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a user again
         * @description Returns a new link for the person, which works once, for 72 hours. Earlier links of this user stop working. The person chooses a new password with it; a second factor stays and is asked for. A user who is not active is activated first.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{userId}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the credentials of a user
         * @description Removes the password, the authenticator codes, the passkeys and the link to the external issuer of a person who has lost them, ends all sessions, and returns a new link as in Invite a user again. A user who is not active is activated first. The last active administrator of all companies cannot reset itself.
         */
        post: operations["resetUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{userId}/sessions": {
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
         * Sign a user out everywhere
         * @description Ends all sessions of the person: at once in this service, within five seconds in others on the same database. The person can sign in again.
         */
        delete: operations["endUserSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved views
         * @description Returns the views of the caller and those that others share with the team, in order of their names, in one array without pages. `me` in a shared view is the person who uses it.
         */
        get: operations["listViews"];
        put?: never;
        /**
         * Save a view
         * @description Saves the filters and the order of a list under a name. A caller can save 200 views. Sharing with the team needs the scope `desk:write` as well. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["createView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/views/{viewId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a saved view
         * @description Returns a view of the caller, or one that is shared with the team. Supports `If-None-Match`.
         */
        get: operations["getView"];
        put?: never;
        post?: never;
        /**
         * Remove a saved view
         * @description Removes the view for good, also for those it is shared with. Its owner can remove it and, where it is shared, a caller with the scope `admin`.
         */
        delete: operations["deleteView"];
        options?: never;
        head?: never;
        /**
         * Change a saved view
         * @description Changes only the fields in the body; `query` is replaced as a whole. The screen stays. Only the owner can change a view. Sending the same body again changes nothing.
         */
        patch: operations["patchView"];
        trace?: never;
    };
    "/admin/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks
         * @description Returns the webhooks of the caller, the oldest first, in one array without pages; those of all clients with the scope `admin`. Secrets are never returned.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Creates a webhook of the caller and returns its secret. It receives only events of records that its client may read: `applicant.*` and `dependent.*` need the scope `applicants:read`, `case.*` `cases:read`, `document.*` `documents:read`. If the client loses the scope or is disabled or blocked, they are no longer sent.
         *
         *     No later response has the secret again, but for a retry with the same `Idempotency-Key`. Events from now on are sent to the URL.
         *
         *     Deliveries follow Standard Webhooks 1.0: a POST of `{ "type", "timestamp", "data" }` with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` (`v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`, with the decoded bytes after `whsec_` as key). `data` has ids and the employee number of the person, and no other personal data; docs/events.md lists every event.
         *
         *     The receiver must return 2xx within 15 seconds. Any other response is retried for three days, and 410 makes the webhook inactive. An event may be sent more than once, with the same `webhook-id`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Returns the webhook without its secret. `disabledReason` is set if the service made it inactive. Supports `If-None-Match`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook and all its deliveries, pending ones included. To stop deliveries for a while, set `active` to false instead.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Changes only the fields in the body. Pending deliveries of an inactive webhook are sent once it is active again. Sending the same body again changes nothing. The caller must be allowed to read all types of events that the webhook then subscribes to.
         */
        patch: operations["patchWebhook"];
        trace?: never;
    };
    "/admin/v1/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Returns the deliveries of a webhook in order of creation, page by page. Successful deliveries are kept for thirty days, others until the webhook is deleted. Filter by `state=failed` to find what to replay.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Creates a new delivery of the same event, with the same `webhook-id`. It is sent in the background. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{webhookId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the events of a range of days again
         * @description Sends all events of these days that the webhook subscribes to, in order, whether they were delivered or not. Events with a pending delivery are not sent twice. The range has at most 31 days. Events are deleted after thirty days, once they are delivered to every webhook.
         */
        post: operations["replayWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{webhookId}/rotate-secret": {
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
         * @description Creates a new secret and returns it. No later response has it again. For `graceSeconds`, deliveries have two signatures, one for each secret, so that the receiver can be switched over without downtime.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends a signed event of type `webhook.test` to the URL at once, also if the webhook is inactive, and returns what happened. It has the limits of any delivery: 15 seconds, public addresses, no redirects. It is neither repeated nor listed, and 410 does not make the webhook inactive. A client may send ten a minute (429).
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Takes the token of an invitation link, sets the password, and signs the person in as `POST /auth/v1/session` does. The link of a first start also needs `email` and `name`, and makes an administrator. Where sign-in by password is switched off, leave `password` out and add a passkey next. An error leaves the invitation as it is.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ways to sign in
         * @description Returns which ways of signing in this installation offers: by password, by passkey, or through an external issuer. It needs no token.
         */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return from the external issuer
         * @description Where the issuer sends the browser back to. Verifies state, nonce and code, creates the user at the first sign-in if the roles claim has a role, and redirects to the console, or to `/sign-in?error=` where the person was not signed in.
         */
        get: operations["finishExternalSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in through the external issuer
         * @description For browsers: redirects to the issuer of `LOGIN_OIDC_ISSUER` (authorization code with PKCE). The issuer sends the browser back to the callback, which signs the person in.
         */
        get: operations["startExternalSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a sign-in by passkey
         * @description Returns the options for `navigator.credentials.get()`. Send the credential with the challenge to `POST /auth/v1/session`. No e-mail address is needed: the passkey names its owner.
         */
        post: operations["getPasskeySignInOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your passkeys
         * @description Returns the passkeys of the person in the order in which they were added, with their last use.
         */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Add a passkey
         * @description Verifies the credential that the browser has made and adds it. The person can then sign in with it alone, and a sign-in by password asks for it where no authenticator codes are set up.
         */
        post: operations["createPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/passkeys/{passkeyId}": {
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
         * Remove a passkey
         * @description Removes a passkey of the person; it cannot be used again. The session must be at most 15 minutes old. Remove it from the device too.
         */
        delete: operations["deletePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add a passkey
         * @description Returns the options for `navigator.credentials.create()`. Send the credential with the challenge to `POST /auth/v1/passkeys`. The session must be at most 15 minutes old.
         */
        post: operations["getPasskeyRegistrationOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Replaces the password; `currentPassword` is needed where there is one. All other sessions of the person end. A person without a password, who signs in by passkey, can set one within 15 minutes of signing in.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the current session
         * @description Returns the session of the cookie: the person with roles, scopes and companies, when the session ends, and which credentials the person has. 401 means that nobody is signed in.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in
         * @description Takes `email` and `password`. Responds with 201 and the cookie of the session; or with 200 and what to ask for next, where the person has enrolled a second factor: then send `challenge` with `code`, `recoveryCode` or `passkey`. To sign in by passkey alone, begin with `POST /auth/v1/passkey/options`. Whether an address is known makes no difference to the response or its time. After ten wrong guesses in 15 minutes further ones get 429; a passkey still works.
         */
        post: operations["createSession"];
        /**
         * Sign out
         * @description Ends the session of the cookie and removes the cookie. It is rejected at once by this service, within five seconds by others on the same database.
         */
        delete: operations["endCurrentSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Returns the sessions of the person that have not ended, newest first, with address and browser of each.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/sessions/{sessionId}": {
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
         * @description Signs the person out of one browser, the current one or another. A session that has ended is not found (404).
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set up authenticator codes
         * @description Returns a secret for an authenticator app (RFC 6238), as text and as an `otpauth` address for a QR code. It counts once a code is confirmed; until then, another call replaces it. The session must be at most 15 minutes old.
         */
        post: operations["enrolTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm authenticator codes
         * @description Takes the first code of the app; from then on each sign-in by password asks for one. Returns ten recovery codes that work once each, for a lost telephone. They are in no later response. All other sessions of the person end.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v1/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove authenticator codes
         * @description Removes the secret of the authenticator app and all recovery codes. It takes a current code, or a recovery code. A sign-in by password then asks for no code.
         */
        post: operations["removeTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calendar/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a calendar
         * @description Returns the calendar of a person as iCalendar (RFC 5545), for calendar programs: steps and cases that are due and assigned to the person, steps without an assignee in these cases, and documents and passports that expire of the people of these cases and their families. It reaches from 90 days ago to a year ahead, with at most 500 entries of a kind.
         *
         *     Entries name initials and ids only, and what the person may see now. Supports `If-None-Match`. A calendar may be read 60 times in five minutes.
         */
        get: operations["readCalendar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the API reference
         * @description Returns the API reference as a web page, where operations can be tried. It needs no token to read, and loads nothing from other origins.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description Returns 200 while the process runs. It does not check the database, so use it to decide about a restart. It needs no token.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics for Prometheus
         * @description Returns counters and histograms in the text format of Prometheus. Labels have route templates and never personal data. It needs no token; restrict access to it in the network.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description Returns an access token for the OAuth 2 client credentials grant (RFC 6749, section 4.4). Send the client id and secret by HTTP Basic, or as `client_id` and `client_secret` in the form. There are no refresh tokens.
         *
         *     Leave `scope` out to get every scope that the client has, or list fewer, separated by spaces.
         *
         *     Scopes:
         *     - `applicants:read`: Read applicants and dependents.
         *     - `applicants:write`: Create, replace, merge and renumber applicants and dependents.
         *     - `cases:read`: Read cases, steps and notes.
         *     - `cases:write`: Create cases.
         *     - `documents:read`: List, read and download documents.
         *     - `documents:write`: Upload documents and change their expiry.
         *     - `desk:read`: List and search applicants, cases and documents, and read companies, processes, timelines, notes of the team, notifications, duplicates and merges.
         *     - `desk:write`: Change cases, their steps, notes and checklists, correct and remove documents, restore archived dependents, and merge duplicates.
         *     - `setup:write`: Create and change companies and processes.
         *     - `webhooks:write`: Use the caller's own webhooks.
         *     - `access:write`: Manage clients, API keys, users and blocked callers.
         *     - `audit:read`: Read the audit log.
         *     - `admin`: All of the above, and the webhooks of all clients.
         *
         *     After ten wrong secrets for a client id from one address within five minutes, further wrong ones get 429 with `Retry-After`, and secrets are checked slowly. The right secret still gets a token. A request has at most 20 parameters and 16 KiB.
         */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document
         * @description Returns the OpenAPI 3.1 document of this version of the service. It needs no token. Generate a client from it, or open it in an API tool.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description Checks the database and the file repositories. Returns 503 while one of them does not respond, and while the service shuts down. Load balancers use it to decide where to send requests.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the sign-in page
         * @description Returns a web page on which people sign in, accept an invitation (`?invitation=`), and set up authenticator codes and passkeys. It needs no token, and loads nothing from other origins.
         */
        get: operations["getSignInPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/applicant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save applicant
         * @description Creates a primary applicant and its dependents in one transaction: either all of them or none. The service assigns every id; a body with ids is rejected, and empty ids are ignored. A POST is not repeatable by itself: send an `Idempotency-Key`, or use the PUT by employee number. The body has at most 100 dependents. The family belongs to the company that the `sendingCompany` of the primary applicant names, by name, code or id; a caller who is limited to one company may leave it out.
         */
        post: operations["saveApplicant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/applicant/{applicantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get applicant by ID
         * @description Returns the primary applicant alone; its dependents have operations of their own. Every field is present: null where it is empty. Send the `ETag` of an earlier response as `If-None-Match` to get 304 without a body while nothing has changed.
         */
        get: operations["getApplicant"];
        /**
         * Update applicant
         * @description Replaces the whole record, or creates it under this id. Fields that are left out are cleared, except for the employee number. Each list is the full set: an item that is left out is removed.
         *
         *     Items and dependents need no ids. Stored ones are matched and keep their ids: passports by number and country, documents by name and reference number, tags by name, previous names by all three names, and dependents by employee number, or else by names and day of birth.
         *
         *     `dependents` is the full set too, if it is present; leave it out to keep the dependents as they are. A dependent that is left out of the set is archived: no read returns it, and it is the same record when it is sent again. Sending the same body again changes nothing.
         *
         *     A caller who is limited to some companies must name one of them as `sendingCompany`, unless it has only one. An id that a record of another company has is 404.
         */
        put: operations["updateApplicant"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Merge applicant
         * @description Changes only the fields in the body; null clears a field. Sending the same body again changes nothing. A stored employee number can be neither changed nor removed here.
         *
         *     A list item with an id is merged into that item. One without an id is matched as in Update applicant, or else added. Items that are not mentioned stay.
         *
         *     Dependents are matched in the same way, and created if there is no match. A dependent of another primary applicant moves to this one if the body names it by id or employee number.
         */
        patch: operations["mergeApplicant"];
        trace?: never;
    };
    "/v2/applicant/{applicantId}/dependent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save dependent
         * @description Creates a dependent of an existing primary applicant and returns it with its id. The service assigns every id; a body with ids is rejected. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["saveDependent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/applicant/{applicantId}/dependent/{dependentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get dependent by ID
         * @description Returns one dependent of this primary applicant. A dependent of another primary applicant, or an archived one, is not found. Supports `If-None-Match`.
         */
        get: operations["getDependent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/applicant/{applicantId}/dependents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get dependents
         * @description Returns all dependents of the primary applicant in one array, without pages. The array is empty if there are none. Archived dependents are left out.
         */
        get: operations["getDependents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/applicant/employeenumber/{employeeNumber}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get applicant by employee number
         * @description Returns the primary applicant that has this number now, without dependents. A number that was changed is not found any more. Dependents are not found by this operation, even by their own numbers.
         */
        get: operations["getApplicantByEmployeeNumber"];
        /**
         * Save applicant by employee number
         * @description Replaces the primary applicant that has this employee number, or creates it. The rules are those of Update applicant. An employee number in the body must equal the one in the path. This is the operation for nightly feeds: sending the same body again is a no-op that keeps ids, `updatedAt` and `ETag`, and emits no event.
         */
        put: operations["saveApplicantByEmployeeNumber"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Merge primary applicant by employee number
         * @description Changes only the fields in the body; null clears a field. Sending the same body again changes nothing. A stored employee number can be neither changed nor removed here.
         *
         *     A list item with an id is merged into that item. One without an id is matched as in Update applicant, or else added. Items that are not mentioned stay.
         *
         *     Dependents are matched in the same way, and created if there is no match. A dependent of another primary applicant moves to this one if the body names it by id or employee number.
         */
        patch: operations["mergeApplicantByEmployeeNumber"];
        trace?: never;
    };
    "/v2/applicant/employeenumber/{employeeNumber}/dependents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get dependents by employee number
         * @description Returns all dependents of the primary applicant in one array, without pages. The array is empty if there are none. Archived dependents are left out.
         */
        get: operations["getDependentsByEmployeeNumber"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/applicant/employeenumber/{employeeNumber}/dependents/{dependentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get dependent by employee number
         * @description Returns one dependent of the primary applicant with this number. The last part of the path is the employee number of the dependent, or its id. A dependent of another primary applicant is not found.
         */
        get: operations["getDependentByEmployeeNumber"];
        /**
         * Save dependent by employee number
         * @description Replaces one dependent. Fields that are left out are cleared, except for the employee number. List items without ids are matched as in Update applicant. The dependent must exist already; Save applicant by employee number creates dependents.
         */
        put: operations["saveDependentByEmployeeNumber"];
        /**
         * Change dependent employee number
         * @description Changes the employee number of a dependent. The old number is retired for good, and the dependent stays with its primary applicant. Send the new number as `newEmployeeNumber`, or leave it out to get the next free one: the number of the primary applicant, `-D` and a count.
         *
         *     `firstName`, `dateOfBirth` and, if present, `lastName` prove that the right person is meant. They are compared, and failed checks are limited, as in Change employee number. Cases, steps, notes and documents of the dependent count as updated.
         */
        post: operations["changeDependentEmployeeNumber"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Merge dependent by employee number
         * @description Changes only the fields in the body, by the rules of Merge applicant. If the body has an `applicantId`, it must be that of the dependent. Sending the same body again changes nothing.
         */
        patch: operations["mergeDependentByEmployeeNumber"];
        trace?: never;
    };
    "/v2/applicant/employeenumber/{oldEmployeeNumber}/{newEmployeeNumber}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change employee number
         * @description Changes the employee number of a primary applicant. This is irreversible: the old number is retired, is not found any more, and can never be assigned again.
         *
         *     The body proves that the right person is meant. Names are compared without regard to case, accents, spaces and punctuation, and dates by day. After 10 failed checks for one person, or 100 in total, a client is rejected (429) for up to five minutes.
         *
         *     Cases, steps, notes and documents of the person return the new number at once, and lists by date return them as updated. The operation needs an API key in addition to the token.
         */
        post: operations["changeEmployeeNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/applicant/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health check
         * @description Returns 200 if the Applicant API is running and its database responds, and 503 otherwise, within three seconds. Unlike /healthz and /readyz it needs a token, so that it also checks the credentials of the client.
         */
        get: operations["getApplicantHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/case": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a case
         * @description Creates an open case whose first step is in progress. Its steps come from the process that matches `processName`, or else the case type and host country. A rejected request stores nothing. Send an `Idempotency-Key` to make a retry safe.
         *
         *     If a person with this `employeeNumber` exists, the case is linked to that record, and the record is not changed. Otherwise a record is created from the body, with passports and dependents. The case stores the applicant data as it was sent.
         *
         *     The case belongs to each of its three companies. A caller who is limited to some companies must have the sending company; the number of a person of another company is 409.
         *
         *     `warnings` lists names (compared without regard to case, accents, spaces and punctuation) and a date of birth that differ from the linked record, and a `processName` without a process. It is empty if there are none. After 10 cases that differ from one record within five minutes, or 100 in total, further cases are created without the comparison (`applicant-not-compared`).
         */
        post: operations["createCase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/case/{caseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get case by ID
         * @description Returns the case with its steps and the applicant data as sent at creation. `employeeNumber` is the current number of the applicant. Supports `If-None-Match`.
         */
        get: operations["getCase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/case/{caseId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get notes for a case
         * @description Returns all notes of the case in order of time, in one array without pages. Notes for the team are returned only to callers with `desk:read`. Use Get case notes to poll the notes of all cases.
         */
        get: operations["getCaseNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/case/{caseId}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get case steps
         * @description Returns all steps of the case in order of `sequence`, in one array without pages. Use List case steps to poll the changes of all cases.
         */
        get: operations["getCaseSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/case/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health check
         * @description Returns 200 if the Case API is running and its database responds, and 503 otherwise, within three seconds. Unlike /healthz and /readyz it needs a token, so that it also checks the credentials of the client.
         */
        get: operations["getCaseHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/cases/applicant/employeenumber/{employeeNumber}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get cases for an employee number
         * @description Returns all cases of the person who has this employee number now: open, pending and closed ones, in one array without pages. The person may be a primary applicant or a dependent. A number that was changed is not found.
         */
        get: operations["getCasesForEmployeeNumber"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/cases/applicant/id/{applicantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get cases for an applicant
         * @description Returns all cases of this primary applicant or dependent, open, pending and closed, in one array without pages. The array is empty if there are none. An id without a record is an error (404).
         */
        get: operations["getCasesForApplicant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/cases/applicants/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get case notes
         * @description Returns the notes of all cases whose date lies in the range, page by page and in order of time. `type` chooses the date; the default is the creation. Pages work as in List case steps, except that no record is skipped if `offset` is not sent. Notes for the team are returned only to callers with `desk:read`.
         */
        get: operations["listCaseNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/cases/applicants/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List case steps
         * @description Returns the steps of all cases whose date lies in the range, page by page. Also known as List Cases. `type` chooses the date; the default is the last update.
         *
         *     `offset` skips records. Without it one record is skipped, so send `offset=` (empty) to begin at the first record and to page by cursor. Cursors are the right choice for large or changing lists: pass `nextCursor` or `prevCursor` of a response with the same filters.
         */
        get: operations["listCaseSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes
         * @description Returns every event once, in the order in which the changes were committed: those of the records that the caller may read and that belong to its companies. `applicant.*`, `dependent.*` and `passport.*` need the scope `applicants:read`, `case.*` `cases:read`, `document.*` `documents:read`; one of them is required. The events are those that webhooks receive.
         *
         *     Send `nextCursor` as `after` in the next request. With `wait`, a request at the end of the feed waits for the next change. A caller that accepts `text/event-stream` gets server-sent events instead, one for each record, until the token expires or a quarter of an hour has passed; `id` is the cursor to go on from.
         *
         *     Events are kept for thirty days at least. An older cursor, or one from before the database was restored, is 410: take a new copy with `GET /v2/export`. A repetition with the same cursor returns the same records. A client may read at most 50 times at once.
         */
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload document
         * @description Stores a file in the repository of the country and attaches it to the case.
         *
         *     Files of other kinds than these are rejected (415). Accepted are PDF; images (JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC); docx, xlsx, pptx, odt, ods and odp without macros or embedded objects; txt and csv; e-mail (eml, msg). The extension of the name must match the content. PDF and images may have each other’s extensions, or none. The media type is detected; that of the part is ignored.
         *
         *     Send `caseId` and `countryCode` before `document`, so that the bytes go directly to the repository of that country. Otherwise the file is buffered on the disk of the service, encrypted with a key that exists only in memory. Send an `Idempotency-Key` to make a retry safe.
         */
        post: operations["uploadDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/document/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get document by ID
         * @description Returns the metadata of a document of an applicant record or of a case. If `hasFile` is true, GET `/v2/document/{documentId}/file` returns the file. Supports `If-None-Match`.
         */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/document/{documentId}/expiry": {
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
         * Patch document expiry
         * @description Changes the expiry date and the reminders of a document. Sending stored values again changes nothing, not even `updatedAt`. A new expiry date restarts the reminders.
         *
         *     `ExpiryReminder` accepts a number of days before expiry, the same as text, a list of days (`90,30,7`), a date, or an ISO 8601 duration (`P3M`). 0 or null selects the default schedule.
         */
        patch: operations["patchDocumentExpiry"];
        trace?: never;
    };
    "/v2/document/{documentId}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download document
         * @description Returns the file as an attachment. Supports `Range` and `If-None-Match`. Each part is verified against the stored hash before it is sent: a damaged file is rejected (500), or the transfer is aborted where the damage begins.
         */
        get: operations["downloadDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/document/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health check
         * @description Returns 200 if the Document API is running and its database responds, and 503 otherwise, within three seconds. Unlike /healthz and /readyz it needs a token, so that it also checks the credentials of the client.
         */
        get: operations["getDocumentHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List documents
         * @description Returns documents that were created or updated within the range, page by page: those of applicant records and those of cases. A document is listed at its last update, or at its creation if the last update is after the range.
         *
         *     A document must match all filters. An id or number that does not exist returns an empty page. A cursor is valid only with the filters of the request that returned it.
         */
        get: operations["listDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export records
         * @description Streams all records of a kind that the caller may read, in no particular order, one JSON object a line, as they are in one snapshot of the database. `applicants` are families, one `{ "primaryApplicant", "dependents" }` a line as Save applicant returns it; `cases` and `documents` are records as their reads return them. Each kind needs its read scope. Archived dependents and removed documents are left out.
         *
         *     The last line is `{ "cursor": "…" }`: go on from there with `GET /v2/changes?after=…`, and no change is missed. A change that was committed during the export may be in both. A response without that line is incomplete: request it again.
         *
         *     A service runs two exports at a time, others wait for ten seconds. An export ends when its client takes no data for 30 seconds, when its caller is disabled or loses companies, and after six hours. In the audit it is one entry, without the ids of the records.
         */
        get: operations["exportRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports
         * @description Returns imports page by page, the latest first. A caller who is limited to some companies sees the imports of callers who are limited to the same companies, or to some of them. Imports are kept for 30 days after their end.
         */
        get: operations["listImports"];
        put?: never;
        /**
         * Import people
         * @description Takes a file of people, checks every row and applies the rows in the background. A row is what one PUT (`mode=replace`) or PATCH (`mode=merge`) by employee number takes: the same rules, errors, audit entries and events. Rows that are stored like this already change nothing, so that the same file can be sent every night. Imports of one company run one after the other.
         *
         *     `application/x-ndjson` has one `{ "primaryApplicant": …, "dependents": … }` a line, each at most 1 MiB. `text/csv` has a header of field names: `lastName`, `passports[0].expiryDate`, `metaData.costCentre`; comma, semicolon or tab; lines end with CRLF, LF or CR. Both are UTF-8. A CSV row with `primaryEmployeeNumber` is a dependent of that person, anywhere in the file. An empty cell is a field that is left out. If the file has that column, `mode=replace` takes the dependents of each person as the full set. The body may be compressed (`Content-Encoding: gzip`) and have up to 1 GiB, also unpacked.
         *
         *     A file that cannot be read to its end, is not UTF-8 or has an unknown column is rejected as a whole. A row with an error is rejected alone; so is the second row of a number. An import that would take a value, a dependent or the company from more than 5 % of the people that it names, and from more than 25, is `held` until it is released.
         *
         *     With `dryRun`, the rows are compared with what is stored, not with each other, and nothing is changed; release the import to apply it. With `complete`, people who are not in the file are listed as `missing`; a row that is rejected counts, as long as its number can be read. The file is deleted when the import ends, or after 7 days if it is not released; the results of its rows are kept for 30 days.
         */
        post: operations["createImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/imports/{importId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get import
         * @description Returns the state of an import, with counts and progress. `Prefer: wait=20` waits until the import ends or is held, for 20 seconds at most.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/imports/{importId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel import
         * @description Ends an import. Rows that were applied stay applied; the others are not. An import that is applying rows stops after the current batch. Cancelling a cancelled import is a no-op.
         */
        post: operations["cancelImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/imports/{importId}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release import
         * @description Applies an import that is held, or a dry run that has completed. Its rows are compared with the records as they are now, also those that were unchanged or rejected. If they would take from more people than the check has found, because records changed since, the import is `held` once more, with the rows applied so far. What it changes is changed in the name of the caller that sent the file, which must still be enabled and have the scope and the companies.
         */
        post: operations["releaseImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/imports/{importId}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get rows of an import
         * @description Returns what became of each row, or would become of it, in the order of the file: page by page as JSON. With `Accept: application/x-ndjson` or `Accept: text/csv` it streams all rows at once; `maxRecords` and cursors are then ignored. Rows that were not checked yet are left out. Values of people are not part of the results.
         */
        get: operations["getImportRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/imports/{importId}/rows/{row}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the content of a row
         * @description Returns what the file says about a family, to compare it with what is stored. Needs the scope `applicants:read` too. `content` is null where the row is not in the file or is no family, and once the file is deleted: when the import ends, or after 7 days if a dry run is not released.
         */
        get: operations["getImportRowContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "applicant.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A primary applicant was created
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onApplicantCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "applicant.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A primary applicant was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onApplicantUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "applicant.number_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The employee number of a primary applicant was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onApplicantNumberChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "applicant.merged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A primary applicant absorbed another record of the same person
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onApplicantMergedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "applicant.unmerged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A merge into a primary applicant was undone
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onApplicantUnmergedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dependent.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A dependent was created
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDependentCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dependent.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A dependent was changed, or moved to another primary applicant
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDependentUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dependent.number_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The employee number of a dependent was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDependentNumberChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dependent.archived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A dependent was archived because a replace left it out
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDependentArchivedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dependent.restored": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An archived dependent was restored
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDependentRestoredEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dependent.merged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A dependent absorbed another record of the same person
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDependentMergedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dependent.unmerged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A merge into a dependent was undone
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDependentUnmergedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "case.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A case was created
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onCaseCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "case.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A field of a case, its assignee or its due date was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onCaseUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "case.status_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The status of a case was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onCaseStatusChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "case.step_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A step was added or changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onCaseStepChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "case.note_added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A note that everyone sees was added to a case
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onCaseNoteAddedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "case.note_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A note that everyone saw was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onCaseNoteChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "case.checklist_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The checklist of a case was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onCaseChecklistChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "document.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A document was added to a record, or a file uploaded to a case or for a person
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDocumentCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "document.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A document was changed
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDocumentUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "document.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A document was removed: by a write of its record, by a merge, or by the desk
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDocumentRemovedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "document.renewal_due": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A document is due for renewal
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onDocumentRenewalDueEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "passport.renewal_due": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A passport is due for renewal
         * @description Sent to each active webhook for this type whose client may read the record (Standard Webhooks 1.0); perhaps more than once, with the same `webhook-id`.
         */
        post: operations["onPassportRenewalDueEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test event was requested
         * @description Sent once for each request to Send a test event, whatever the webhook subscribes to. It is signed like all events. It is not repeated.
         */
        post: operations["onWebhookTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ApiKey: {
            keyId: string;
            name: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /** @description UTC, with `Z`. */
            revokedAt: string | null;
        };
        ApiKeyWithSecret: {
            keyId: string;
            name: string;
            /** @description Only in this response; it is stored as a hash. */
            apiKey: string;
        };
        /** @description A primary applicant or a dependent. Every field is present: null if it is empty, [] for an empty list. */
        Applicant: {
            /** @description Encoded id. */
            applicantId: string;
            /**
             * @description Unique across primaries and dependents.
             * @example E-10042
             */
            employeeNumber: string | null;
            /**
             * @description The default is `A`.
             * @example A
             */
            status: string | null;
            /** @example anna.schmidt@example.com */
            email: string | null;
            alternateEmail: string | null;
            /** @example Anna */
            firstName: string | null;
            /** @example Schmidt */
            lastName: string | null;
            middleName: string | null;
            /** @example F */
            gender: string | null;
            /** @example M */
            maritalStatus: string | null;
            sendingCompany: string | null;
            /** @example 1990-05-31T00:00:00 */
            dateOfBirth: string | null;
            /** @example DE */
            countryOfBirth: string | null;
            cityOfBirth: string | null;
            /** @example DE */
            nationality: string | null;
            addressLine1: string | null;
            addressLine2: string | null;
            addressCity: string | null;
            addressState: string | null;
            addressPostalCode: string | null;
            /** @example DE */
            addressCountry: string | null;
            telephone: string | null;
            alternateTelephone: string | null;
            jobTitle: string | null;
            /**
             * @description To the primary applicant; empty on a primary applicant.
             * @example Child
             */
            relationship: string | null;
            /** @example 2024-02-01T00:00:00 */
            hireDate: string | null;
            metaData: components["schemas"]["MetaDataRecord"][];
            passports: components["schemas"]["PassportRecord"][];
            documents: components["schemas"]["ApplicantDocumentRecord"][];
            previousNames: components["schemas"]["PreviousNameRecord"][];
            /** @description UTC, with `Z`. */
            createdAt: string;
            /** @description UTC, with `Z`. */
            updatedAt: string;
        };
        ApplicantCreatedEvent: {
            /** @constant */
            type: "applicant.created";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                employeeNumber: string | null;
            };
        };
        ApplicantDocument: {
            documentId?: components["schemas"]["OptionalId"];
            /** @example Residence permit */
            name?: string | null;
            description?: string | null;
            issueDate?: components["schemas"]["OptionalDate"];
            expiryDate?: components["schemas"]["OptionalDate"];
            referenceNumber?: string | null;
            country?: components["schemas"]["OptionalCountryCode"];
            /** @description Whether renewal notifications are sent. */
            remindAboutRenewal?: boolean | null;
            /**
             * Format: reminder
             * @description When to remind. 0 or null: the default schedule. Accepts days before expiry (30, "30" or "90,30,7"), a date, or an ISO 8601 duration such as P3M.
             */
            expiryReminder?: number | string | null;
        };
        ApplicantDocumentIdentifiers: {
            /** @description Encoded id. */
            documentId: string;
        };
        ApplicantDocumentRecord: {
            documentId?: string | null;
            /** @example Residence permit */
            name?: string | null;
            description?: string | null;
            /** @example 1990-05-31T00:00:00 */
            issueDate?: string | null;
            /** @example 1990-05-31T00:00:00 */
            expiryDate?: string | null;
            referenceNumber?: string | null;
            /** @example DE */
            country?: string | null;
            /** @description Whether renewal notifications are sent. */
            remindAboutRenewal?: boolean | null;
            /** @description Days between the first reminder and the expiry; 0 for the default schedule. Sending it back unchanged keeps the schedule. */
            expiryReminder?: number;
        };
        ApplicantDocumentUpload: {
            /**
             * @description Country whose repository stores the file.
             * @enum {string}
             */
            countryCode: "US" | "EDU" | "UK" | "FR" | "DE" | "IR" | "ES" | "CH";
            /**
             * Format: binary
             * @description The file; not empty.
             */
            document: string;
            /** @description Name of the document; the default is the name of the file. */
            name?: string;
            /** @description Kind of document. */
            type?: string;
            /** @description Free text. */
            description?: string;
            /** @description Date such as 2026-03-01. */
            issueDate?: string;
            /** @description Date such as 2027-06-30. */
            expiryDate?: string;
            /** @description Number of the document. */
            referenceNumber?: string;
            /** @description Country code of the document, two or three letters. */
            country?: string;
        };
        ApplicantIdentifiers: {
            /** @description Encoded id. */
            applicantId: string;
            employeeNumber: string | null;
            metaData: components["schemas"]["MetaDataIdentifiers"][];
            passports: components["schemas"]["PassportIdentifiers"][];
            documents: components["schemas"]["ApplicantDocumentIdentifiers"][];
            previousNames: components["schemas"]["PreviousNameIdentifiers"][];
        };
        ApplicantMergedEvent: {
            /** @constant */
            type: "applicant.merged";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                absorbedApplicantId: string;
                retiredEmployeeNumber: string | null;
                employeeNumber: string | null;
            };
        };
        ApplicantNumberChangedEvent: {
            /** @constant */
            type: "applicant.number_changed";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                previousEmployeeNumber: string | null;
                employeeNumber: string | null;
            };
        };
        /** @description The record, or only its identifiers for a caller without the scope `applicants:read`. */
        ApplicantOrIdentifiers: components["schemas"]["Applicant"] | components["schemas"]["ApplicantIdentifiers"];
        ApplicantPage: {
            records: components["schemas"]["ListedApplicant"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        ApplicantPatch: {
            applicantId?: components["schemas"]["OptionalId"];
            /** @description Unique across primaries and dependents. */
            employeeNumber?: components["schemas"]["OptionalEmployeeNumber"];
            /**
             * @description The default is `A`.
             * @example A
             */
            status?: components["schemas"]["OptionalLetter"];
            /** @example anna.schmidt@example.com */
            email?: components["schemas"]["OptionalEmail"];
            alternateEmail?: components["schemas"]["OptionalEmail"];
            /**
             * @description Accepts text with at least one visible character.
             * @example Anna
             */
            firstName?: string | null;
            /**
             * @description Accepts text with at least one visible character.
             * @example Schmidt
             */
            lastName?: string | null;
            middleName?: components["schemas"]["OptionalText"];
            /** @example F */
            gender?: components["schemas"]["OptionalLetter"];
            /** @example M */
            maritalStatus?: components["schemas"]["OptionalLetter"];
            sendingCompany?: components["schemas"]["OptionalText"];
            dateOfBirth?: components["schemas"]["OptionalDate"];
            countryOfBirth?: components["schemas"]["OptionalCountryCode"];
            cityOfBirth?: components["schemas"]["OptionalText"];
            /** @example DE */
            nationality?: string | null;
            addressLine1?: components["schemas"]["OptionalText"];
            addressLine2?: components["schemas"]["OptionalText"];
            addressCity?: components["schemas"]["OptionalText"];
            addressState?: components["schemas"]["OptionalText"];
            addressPostalCode?: string | null;
            addressCountry?: components["schemas"]["OptionalCountryCode"];
            telephone?: string | null;
            alternateTelephone?: string | null;
            jobTitle?: components["schemas"]["OptionalText"];
            /**
             * @description To the primary applicant; empty on a primary applicant. Accepts text with at least one visible character.
             * @example Child
             */
            relationship?: string | null;
            /** @example 2024-02-01T00:00:00 */
            hireDate?: components["schemas"]["OptionalDate"];
            metaData?: components["schemas"]["MetaDataItem"][] | null;
            /** @description Current and historical passports. */
            passports?: components["schemas"]["Passport"][] | null;
            documents?: components["schemas"]["ApplicantDocument"][] | null;
            previousNames?: components["schemas"]["PreviousName"][] | null;
            /** @description UTC, with `Z`. Ignored in a write. */
            createdAt?: components["schemas"]["ReadOnlyTimestamp"];
            /** @description UTC, with `Z`. Ignored in a write. */
            updatedAt?: components["schemas"]["ReadOnlyTimestamp"];
        };
        ApplicantUnmergedEvent: {
            /** @constant */
            type: "applicant.unmerged";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                restoredApplicantId: string;
                employeeNumber: string | null;
            };
        };
        ApplicantUpdatedEvent: {
            /** @constant */
            type: "applicant.updated";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                employeeNumber: string | null;
            };
        };
        /** @description The user who works on it; null if there is none. */
        Assignee: {
            userId: string;
            name: string;
        } | null;
        AuditChange: {
            /**
             * @description JSON pointer to the field. An item of a list is named by its id: `/passports/{id}/expiryDate`.
             * @example /jobTitle
             */
            pointer: string;
            /** @description Null where there was nothing. */
            before: Record<string, never> | unknown[] | string | number | boolean | null;
            /** @description Null where nothing is left. */
            after: Record<string, never> | unknown[] | string | number | boolean | null;
        };
        AuditEntry: {
            /** @description UTC, with `Z`. */
            at: string;
            /** @description The client that sent the request. Empty where the caller could not be identified. */
            clientId: string;
            /** @description Such as `applicant.read` or `case.write`. `request.reject` for a call that was rejected before it did anything, `request.replay` for the stored response of an `Idempotency-Key`. */
            action: string;
            /** @description Id of the record, or of the first of several. Empty where the entry is about no record. */
            recordId: string;
            /** @description X-Request-Id of the request. */
            requestId: string;
            /** @description Number of the entry. Numbers are unique and have gaps. */
            seq: number;
            /** @description Ids of all records that the request read or changed. */
            recordIds: string[];
            /** @description The person who sent the request; null for a client. */
            userId: string | null;
            /** @description The person's name at that time. */
            userName: string | null;
            /** @description IP address of the caller; null for work of the service itself. */
            address: string | null;
            /** @description HTTP method. */
            method: string | null;
            /** @description The operation, as in the OpenAPI document. */
            operationId: string | null;
            /**
             * @description `refused` is a response of 4xx, `failed` one of 5xx.
             * @enum {string}
             */
            outcome: "ok" | "refused" | "failed";
            /** @description Status of the response; null for work of the service itself. */
            status: number | null;
            /** @description Code of the error; null where there was none. */
            code: string | null;
            /** @description The fields that were changed. Secrets are never in it. A limited caller gets neither ids of other companies nor, of a checklist, ids of documents. Null for anything but a change. */
            changes: components["schemas"]["AuditChange"][] | null;
        };
        AuditPage: {
            records: components["schemas"]["AuditEntry"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
        };
        AuthorizationServerMetadata: {
            issuer: string;
            token_endpoint: string;
            jwks_uri: string;
            scopes_supported: string[];
            grant_types_supported: string[];
            response_types_supported: string[];
            token_endpoint_auth_methods_supported: string[];
        };
        BlockedCaller: {
            blockId: string;
            /** @description As in the `clientId` of the audit, or without subject or client. */
            caller: string;
            reason: string;
            /** @description Client or person that blocked it. */
            createdBy: string;
            /** @description UTC, with `Z`. */
            createdAt: string;
        };
        Calendar: {
            /** @description UTC, with `Z`. */
            createdAt: string;
        };
        Case: {
            caseId: string;
            /** @enum {string} */
            status: "open" | "pending" | "closed";
            /** @description Type of the immigration case. */
            caseType: string;
            /** @description Company in the destination country. Name, code or id of an active company. */
            hostCompany: string;
            /** @description Company that the person comes from. Name, code or id of an active company. */
            sendingCompany: string;
            /** @description Company that pays. Name, code or id of an active company. */
            billingCompany: string;
            /** @description Destination country. */
            hostCountry: string | null;
            hostCity: string | null;
            homeCountry: string | null;
            assignmentId: string | null;
            /** @description Name of the process that has the steps. */
            processName: string | null;
            payrollLocation: string | null;
            salary: string | null;
            newJobTitle: string | null;
            placeOfWork: string | null;
            authorizingPerson: string | null;
            costCenter: string | null;
            department: string | null;
            billingReference: string | null;
            metadata: components["schemas"]["CaseMetadataRecord"][];
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            hostCompanyId: string;
            sendingCompanyId: string;
            billingCompanyId: string;
            assignee: components["schemas"]["Assignee"];
            /** @description YYYY-MM-DD. A case is overdue from the day after, while it is not closed. */
            dueDate: string | null;
            applicant: components["schemas"]["CaseApplicant"];
            steps: components["schemas"]["CaseStep"][];
            createdAt: string;
            updatedAt: string;
            closedAt: string | null;
        };
        CaseApplicant: {
            applicantId: string;
            employeeNumber: string | null;
            firstName: string;
            lastName: string;
            middleName: string | null;
            countryOfResidence: string | null;
            countryOfBirth: string | null;
            placeOfBirth: string | null;
            dateOfBirth: string | null;
            gender: string | null;
            maritalStatus: string | null;
            /** @description Spelled with a capital V. */
            Vip: boolean | null;
            emailAddress: string | null;
            telephoneNumber: string | null;
            hireDate: string | null;
            currentJobTitle: string | null;
            addressStreet1: string | null;
            addressStreet2: string | null;
            addressCity: string | null;
            addressState: string | null;
            addressPostalCode: string | null;
            addressCountry: string | null;
            passports: components["schemas"]["CasePassport"][];
            dependents: components["schemas"]["CaseDependent"][];
        };
        CaseApplicantInput: {
            /** @description The case is linked to the record with this number. Without one, a record is created. */
            employeeNumber?: components["schemas"]["OptionalEmployeeNumber"];
            /** @example Anna */
            firstName: components["schemas"]["RequiredText"];
            /** @example Schmidt */
            lastName: components["schemas"]["RequiredText"];
            middleName?: components["schemas"]["OptionalText"];
            countryOfResidence?: components["schemas"]["OptionalCountryCode"];
            countryOfBirth?: components["schemas"]["OptionalCountryCode"];
            placeOfBirth?: components["schemas"]["OptionalText"];
            /** @example 1990-05-31 */
            dateOfBirth?: components["schemas"]["OptionalDate"];
            gender?: components["schemas"]["OptionalLetter"];
            maritalStatus?: components["schemas"]["OptionalLetter"];
            /** @description Spelled with a capital V. */
            Vip?: boolean | null;
            emailAddress?: components["schemas"]["OptionalEmail"];
            telephoneNumber?: string | null;
            /** @example 1990-05-31 */
            hireDate?: components["schemas"]["OptionalDate"];
            currentJobTitle?: components["schemas"]["OptionalText"];
            addressStreet1?: components["schemas"]["OptionalText"];
            addressStreet2?: components["schemas"]["OptionalText"];
            addressCity?: components["schemas"]["OptionalText"];
            addressState?: components["schemas"]["OptionalText"];
            addressPostalCode?: string | null;
            addressCountry?: components["schemas"]["OptionalCountryCode"];
            passports?: components["schemas"]["CasePassportInput"][] | null;
            dependents?: components["schemas"]["CaseDependentInput"][] | null;
        };
        CaseChecklist: {
            caseId: string;
            /**
             * @description `process` until the checklist of the case is saved.
             * @enum {string}
             */
            source: "process" | "case";
            /** @description Whether all items that are required are `received` or `accepted`. */
            complete: boolean;
            items: components["schemas"]["CaseChecklistItem"][];
        };
        CaseChecklistChangedEvent: {
            /** @constant */
            type: "case.checklist_changed";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                caseId: string;
                employeeNumber: string | null;
            };
        };
        CaseChecklistDocument: {
            name: string | null;
            type: string;
            /** @description YYYY-MM-DDTHH:MM:SS, as sent, without time zone. */
            expiryDate: string | null;
            hasFile: boolean;
            /** @description Null on a document of the applicant. */
            caseId: string | null;
        } | null;
        CaseChecklistIdentifiers: {
            /** @description Encoded id. */
            caseId: string;
        };
        CaseChecklistInput: {
            items: components["schemas"]["CaseChecklistItemInput"][];
        };
        CaseChecklistItem: {
            name: string;
            type: string | null;
            required: boolean;
            /**
             * @description `missing`: no document. `received`: a document that is not accepted yet, or whose file was replaced since. `expired`: its expiry date has passed, accepted or not.
             * @enum {string}
             */
            state: "missing" | "received" | "accepted" | "expired";
            /** @description The document that fills the item. */
            documentId: string | null;
            /** @description Whether the document was chosen for the item. Otherwise it matches by its type or name. */
            chosen: boolean;
            /** @description UTC, with `Z`. */
            acceptedAt: string | null;
            /** @description Person or client. */
            acceptedBy: string | null;
            document: components["schemas"]["CaseChecklistDocument"];
        };
        CaseChecklistItemInput: {
            /** @description What is needed; unique in the checklist. Accepts text with at least one visible character. */
            name: string;
            /** @description Type of the documents that fill the item. Left out, a document whose name or type is the name of the item fills it. */
            type?: string | null;
            /**
             * @description Whether the case needs it.
             * @default true
             */
            required?: boolean;
            /** @description A document of the case or of its applicant. Left out, matching documents fill the item. */
            documentId?: components["schemas"]["OptionalId"];
            /**
             * @description Whether the document is good. Needs `documentId`.
             * @default false
             */
            accepted?: boolean;
        };
        /** @description The record, or only its identifiers for a caller without the scope `cases:read`. */
        CaseChecklistOrIdentifiers: components["schemas"]["CaseChecklist"] | components["schemas"]["CaseChecklistIdentifiers"];
        CaseCreatedEvent: {
            /** @constant */
            type: "case.created";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                caseId: string;
                employeeNumber: string | null;
            };
        };
        CaseDependent: {
            firstName: string;
            lastName: string;
            relationship: string;
            nationality: string | null;
            dateOfBirth: string | null;
            gender: string | null;
        };
        CaseDependentInput: {
            firstName: components["schemas"]["RequiredText"];
            lastName: components["schemas"]["RequiredText"];
            /**
             * @description Accepts text with at least one visible character.
             * @example Spouse
             */
            relationship: string;
            nationality?: string | null;
            /** @example 1990-05-31 */
            dateOfBirth?: components["schemas"]["OptionalDate"];
            gender?: components["schemas"]["OptionalLetter"];
        };
        CaseIdentifiers: {
            /** @description Encoded id. */
            caseId: string;
            /** @description Encoded id. */
            applicantId: string;
            steps: components["schemas"]["CaseStepIdentifiers"][];
        };
        CaseMetadataItem: {
            tagName?: string | null;
            value?: string | null;
        };
        CaseMetadataRecord: {
            tagName: string | null;
            value: string | null;
        };
        CaseNote: {
            noteId: string;
            caseId: string;
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            content: string;
            author: string;
            /** @description Id of the user who wrote it; null for a client. */
            authorId: string | null;
            /**
             * @description `team`: only callers with `desk:read` see it. `everyone`: all who may read the case.
             * @enum {string}
             */
            visibility: "team" | "everyone";
            /** @description Grows with each correction. */
            version: number;
            createdAt: string;
            updatedAt: string;
        };
        CaseNoteAddedEvent: {
            /** @constant */
            type: "case.note_added";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                caseId: string;
                noteId: string;
                employeeNumber: string | null;
            };
        };
        CaseNoteChangedEvent: {
            /** @constant */
            type: "case.note_changed";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                caseId: string;
                noteId: string;
                employeeNumber: string | null;
            };
        };
        CaseNoteIdentifiers: {
            /** @description Encoded id. */
            noteId: string;
            /** @description Encoded id. */
            caseId: string;
        };
        /** @description The record, or only its identifiers for a caller without the scope `cases:read`. */
        CaseNoteOrIdentifiers: components["schemas"]["CaseNote"] | components["schemas"]["CaseNoteIdentifiers"];
        CaseNotePage: {
            records: components["schemas"]["CaseNote"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
        };
        CaseNoteVersion: {
            version: number;
            /** @description Null for a caller without `cases:read`. */
            content: string | null;
            /**
             * @description `team`: only callers with `desk:read` see it. `everyone`: all who may read the case.
             * @enum {string}
             */
            visibility: "team" | "everyone";
            /** @description Who wrote this version. */
            author: string;
            /** @description Id of that user; null for a client. */
            authorId: string | null;
            /** @description UTC, with `Z`. */
            writtenAt: string;
        };
        /** @description The record, or only its identifiers for a caller without the scope `cases:read`. */
        CaseOrIdentifiers: components["schemas"]["Case"] | components["schemas"]["CaseIdentifiers"];
        CasePage: {
            records: components["schemas"]["ListedCase"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        CasePassport: {
            country: string | null;
            passportNumber: string | null;
            expirationDate: string | null;
            issueDate: string | null;
            issuingAuthority: string | null;
            /** @description Spelled with a capital N. */
            Nationality: string | null;
        };
        CasePassportInput: {
            country?: components["schemas"]["OptionalCountryCode"];
            passportNumber?: string | null;
            /** @example 1990-05-31 */
            expirationDate?: components["schemas"]["OptionalDate"];
            /** @example 1990-05-31 */
            issueDate?: components["schemas"]["OptionalDate"];
            issuingAuthority?: string | null;
            /** @description Spelled with a capital N. */
            Nationality?: components["schemas"]["OptionalCountryCode"];
        };
        CasePatch: {
            /** @enum {string} */
            status?: "open" | "pending" | "closed";
            /** @description Id of an active user who sees a company of the case. Null removes the assignee. GET /admin/v1/colleagues lists the users. */
            assigneeId?: string | null;
            /**
             * Format: day
             * @description Day by which the case should be closed. Null removes it. Accepts a real calendar day such as 2026-03-01.
             */
            dueDate?: string | null;
            /**
             * @description Type of the immigration case. Accepts text with at least one visible character.
             * @example Work Permit
             */
            caseType?: string;
            /**
             * @description Company in the destination country. Name, code or id of an active company.
             * @example Acme GmbH
             */
            hostCompany?: components["schemas"]["RequiredText"];
            /**
             * @description Company that the person comes from. Name, code or id of an active company.
             * @example Acme GmbH
             */
            sendingCompany?: components["schemas"]["RequiredText"];
            /**
             * @description Company that pays. Name, code or id of an active company.
             * @example Acme GmbH
             */
            billingCompany?: components["schemas"]["RequiredText"];
            /** @description Destination country. */
            hostCountry?: components["schemas"]["OptionalCountryCode"];
            hostCity?: components["schemas"]["OptionalText"];
            homeCountry?: components["schemas"]["OptionalCountryCode"];
            assignmentId?: string | null;
            /** @description Name of the process that has the steps. */
            processName?: string | null;
            payrollLocation?: components["schemas"]["OptionalText"];
            salary?: string | null;
            newJobTitle?: components["schemas"]["OptionalText"];
            placeOfWork?: components["schemas"]["OptionalText"];
            authorizingPerson?: components["schemas"]["OptionalText"];
            costCenter?: string | null;
            department?: components["schemas"]["OptionalText"];
            billingReference?: components["schemas"]["OptionalText"];
            /** @description Custom tags: the whole list. */
            metadata?: components["schemas"]["CaseMetadataItem"][] | null;
        };
        CaseProgress: {
            /** @description Steps that are completed or waived. */
            finished: number;
            total: number;
        };
        CaseStatusChangedEvent: {
            /** @constant */
            type: "case.status_changed";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                caseId: string;
                from: string;
                to: string;
                employeeNumber: string | null;
            };
        };
        CaseStep: {
            stepId: string;
            caseId: string;
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            sequence: number;
            name: string;
            /** @enum {string} */
            status: "notStarted" | "inProgress" | "completed" | "waived";
            /** @description YYYY-MM-DD. */
            startDate: string | null;
            /** @description YYYY-MM-DD. */
            completionDate: string | null;
            /** @description YYYY-MM-DD: as an operator has set it, else `dueDays` of the process after the start. A step is overdue from the day after, while it is not completed or waived. */
            dueDate: string | null;
            assignee: components["schemas"]["Assignee"];
            createdAt: string;
            updatedAt: string;
        };
        CaseStepChangedEvent: {
            /** @constant */
            type: "case.step_changed";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                caseId: string;
                stepId: string;
                employeeNumber: string | null;
            };
        };
        CaseStepIdentifiers: {
            /** @description Encoded id. */
            stepId: string;
            /** @description Encoded id. */
            caseId: string;
        };
        /** @description The record, or only its identifiers for a caller without the scope `cases:read`. */
        CaseStepOrIdentifiers: components["schemas"]["CaseStep"] | components["schemas"]["CaseStepIdentifiers"];
        CaseStepPage: {
            records: components["schemas"]["CaseStep"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
        };
        CaseUpdatedEvent: {
            /** @constant */
            type: "case.updated";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                caseId: string;
                employeeNumber: string | null;
            };
        };
        CaseWarning: {
            /** @description JSON pointer of the field in the request body. */
            pointer: string;
            /** @enum {string} */
            code: "applicant-name-differs" | "applicant-birth-date-differs" | "applicant-not-compared" | "unknown-process";
            /** @description For people. It never has data of the linked record. */
            detail: string;
        };
        /**
         * @description An event. Beside `id`, `type` and `at` it has the fields of its type, as `data` of a webhook has.
         * @example {
         *       "id": "evt_0c1f6a3e-4c5b-4d53-9a43-3f2e6c0a7d11",
         *       "type": "case.status_changed",
         *       "at": "2026-03-02T10:15:00.000Z",
         *       "caseId": "gM3kX0d3Qm6wq0mJb1nUu2s=",
         *       "applicantId": "Xq2v9l0aTj2k5cV7m8yTzRk=",
         *       "employeeNumber": "E-10042",
         *       "from": "open",
         *       "to": "pending"
         *     }
         */
        Change: {
            /** @description Identifies the event, as `webhook-id` of a delivery does. */
            id: string;
            /** @enum {string} */
            type: "applicant.created" | "applicant.updated" | "applicant.number_changed" | "applicant.merged" | "applicant.unmerged" | "dependent.created" | "dependent.updated" | "dependent.number_changed" | "dependent.archived" | "dependent.restored" | "dependent.merged" | "dependent.unmerged" | "case.created" | "case.updated" | "case.status_changed" | "case.step_changed" | "case.note_added" | "case.note_changed" | "case.checklist_changed" | "document.created" | "document.updated" | "document.removed" | "document.renewal_due" | "passport.renewal_due";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            at: string;
            /** @description Number of this person after the change; null if there is none. */
            employeeNumber: string | null;
            /** @description The person concerned. */
            applicantId: string;
            previousEmployeeNumber?: string | null;
            absorbedApplicantId?: string | null;
            retiredEmployeeNumber?: string | null;
            restoredApplicantId?: string | null;
            primaryApplicantId?: string | null;
            /** @description Null on a document that belongs to no case. */
            caseId?: string | null;
            from?: string | null;
            to?: string | null;
            stepId?: string | null;
            noteId?: string | null;
            documentId?: string | null;
            passportId?: string | null;
        };
        ChangePage: {
            records: components["schemas"]["Change"][];
            /** @description Where to go on: send it as `after`. Present on every page, the last one included. */
            nextCursor: string;
            /** @description Whether there is more to read now. A page of some types may be empty while there is. */
            more: boolean;
        };
        Client: {
            clientId: string;
            name: string;
            scopes: ("applicants:read" | "applicants:write" | "cases:read" | "cases:write" | "documents:read" | "documents:write" | "desk:read" | "desk:write" | "setup:write" | "webhooks:write" | "access:write" | "audit:read" | "admin")[];
            /** @description Ids of the companies whose records it sees and changes; null is all companies. */
            companies: string[] | null;
            apiKeys: components["schemas"]["ApiKey"][];
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description UTC, with `Z`. */
            disabledAt: string | null;
        };
        ClientPatch: {
            /** @description For people: what uses this client or key. */
            name?: string;
            scopes?: ("applicants:read" | "applicants:write" | "cases:read" | "cases:write" | "documents:read" | "documents:write" | "desk:read" | "desk:write" | "setup:write" | "webhooks:write" | "access:write" | "audit:read" | "admin")[];
            /** @description Ids of the companies whose records it sees and changes; null is all companies. */
            companies?: string[] | null;
        };
        ClientWithSecret: {
            clientId: string;
            name: string;
            scopes: ("applicants:read" | "applicants:write" | "cases:read" | "cases:write" | "documents:read" | "documents:write" | "desk:read" | "desk:write" | "setup:write" | "webhooks:write" | "access:write" | "audit:read" | "admin")[];
            /** @description Ids of the companies whose records it sees and changes; null is all companies. */
            companies: string[] | null;
            apiKeys: components["schemas"]["ApiKey"][];
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description UTC, with `Z`. */
            disabledAt: string | null;
            /** @description Only in this response; it is stored as a hash. */
            clientSecret: string;
        };
        Colleague: {
            userId: string;
            name: string;
        };
        Company: {
            companyId: string;
            name: string;
            code: string | null;
            country: string | null;
            active: boolean;
            createdAt: string;
            updatedAt: string;
        };
        CompanyPatch: {
            /** @description Unique without regard to case. */
            name?: string;
            /**
             * @description Short name, unique without regard to case.
             * @example ACME-DE
             */
            code?: string | null;
            country?: components["schemas"]["OptionalCountryCode"];
            /** @description A new case can only name active companies. */
            active?: boolean;
        };
        CreatedCase: {
            caseId: string;
            /** @enum {string} */
            status: "open" | "pending" | "closed";
            /** @description Type of the immigration case. */
            caseType: string;
            /** @description Company in the destination country. Name, code or id of an active company. */
            hostCompany: string;
            /** @description Company that the person comes from. Name, code or id of an active company. */
            sendingCompany: string;
            /** @description Company that pays. Name, code or id of an active company. */
            billingCompany: string;
            /** @description Destination country. */
            hostCountry: string | null;
            hostCity: string | null;
            homeCountry: string | null;
            assignmentId: string | null;
            /** @description Name of the process that has the steps. */
            processName: string | null;
            payrollLocation: string | null;
            salary: string | null;
            newJobTitle: string | null;
            placeOfWork: string | null;
            authorizingPerson: string | null;
            costCenter: string | null;
            department: string | null;
            billingReference: string | null;
            metadata: components["schemas"]["CaseMetadataRecord"][];
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            hostCompanyId: string;
            sendingCompanyId: string;
            billingCompanyId: string;
            assignee: components["schemas"]["Assignee"];
            /** @description YYYY-MM-DD. A case is overdue from the day after, while it is not closed. */
            dueDate: string | null;
            applicant: components["schemas"]["CaseApplicant"];
            steps: components["schemas"]["CaseStep"][];
            createdAt: string;
            updatedAt: string;
            closedAt: string | null;
            /** @description What to check, although the case was created: names or a date of birth that differ from the linked record, or a process that does not exist. Only in this response. */
            warnings: components["schemas"]["CaseWarning"][];
        };
        CreatedCaseIdentifiers: {
            /** @description Encoded id. */
            caseId: string;
            /** @description Encoded id. */
            applicantId: string;
            steps: components["schemas"]["CaseStepIdentifiers"][];
            /** @description What to check, although the case was created: names or a date of birth that differ from the linked record, or a process that does not exist. Only in this response. */
            warnings: components["schemas"]["CaseWarning"][];
        };
        /** @description The record, or only its identifiers for a caller without the scope `cases:read`. */
        CreatedCaseOrIdentifiers: components["schemas"]["CreatedCase"] | components["schemas"]["CreatedCaseIdentifiers"];
        CreatedClient: {
            clientId: string;
            name: string;
            scopes: ("applicants:read" | "applicants:write" | "cases:read" | "cases:write" | "documents:read" | "documents:write" | "desk:read" | "desk:write" | "setup:write" | "webhooks:write" | "access:write" | "audit:read" | "admin")[];
            /** @description Ids of the companies whose records it sees and changes; null is all companies. */
            companies: string[] | null;
            apiKeys: components["schemas"]["ApiKey"][];
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description UTC, with `Z`. */
            disabledAt: string | null;
            /** @description Only in this response; it is stored as a hash. Null for a caller of the external issuer, which issues its tokens. */
            clientSecret: string | null;
        };
        /** @description The ways in which the person can sign in. */
        CredentialSummary: {
            password: boolean;
            totp: boolean;
            /** @description How many are left. */
            recoveryCodes: number;
            passkeys: number;
        };
        CurrentSession: {
            sessionId: string;
            /**
             * @description How the person has signed in.
             * @example password+totp
             */
            method: string;
            /** @description IP address of the sign-in. */
            address: string | null;
            /** @description What the browser calls itself. */
            userAgent: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /** @description UTC, with `Z`; exact to a minute. */
            lastSeenAt: string;
            /** @description UTC, with `Z`: twelve hours after the last request, at most seven days after the sign-in. */
            expiresAt: string;
            user: components["schemas"]["SignedInUser"];
            credentials: components["schemas"]["CredentialSummary"];
        };
        DependentArchivedEvent: {
            /** @constant */
            type: "dependent.archived";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                primaryApplicantId: string;
                employeeNumber: string | null;
            };
        };
        DependentCreatedEvent: {
            /** @constant */
            type: "dependent.created";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                primaryApplicantId: string;
                employeeNumber: string | null;
            };
        };
        DependentIdentityCheck: {
            firstName: string;
            lastName?: string | null;
            /**
             * Format: wall-clock
             * @description Accepts a real calendar date such as 1990-05-31.
             */
            dateOfBirth: string;
            /** @description Null for the next free one. Accepts 1 to 64 printable characters, with no space at either end. */
            newEmployeeNumber?: string | null;
        };
        DependentInput: {
            applicantId?: components["schemas"]["OptionalId"];
            /** @description Unique across primaries and dependents. */
            employeeNumber?: components["schemas"]["OptionalEmployeeNumber"];
            /**
             * @description The default is `A`.
             * @example A
             */
            status?: components["schemas"]["OptionalLetter"];
            /** @example anna.schmidt@example.com */
            email?: components["schemas"]["OptionalEmail"];
            alternateEmail?: components["schemas"]["OptionalEmail"];
            /** @example Anna */
            firstName: components["schemas"]["RequiredText"];
            /** @example Schmidt */
            lastName: components["schemas"]["RequiredText"];
            middleName?: components["schemas"]["OptionalText"];
            /** @example F */
            gender?: components["schemas"]["OptionalLetter"];
            /** @example M */
            maritalStatus?: components["schemas"]["OptionalLetter"];
            sendingCompany?: components["schemas"]["OptionalText"];
            dateOfBirth?: components["schemas"]["OptionalDate"];
            countryOfBirth?: components["schemas"]["OptionalCountryCode"];
            cityOfBirth?: components["schemas"]["OptionalText"];
            /** @example DE */
            nationality?: string | null;
            addressLine1?: components["schemas"]["OptionalText"];
            addressLine2?: components["schemas"]["OptionalText"];
            addressCity?: components["schemas"]["OptionalText"];
            addressState?: components["schemas"]["OptionalText"];
            addressPostalCode?: string | null;
            addressCountry?: components["schemas"]["OptionalCountryCode"];
            telephone?: string | null;
            alternateTelephone?: string | null;
            jobTitle?: components["schemas"]["OptionalText"];
            /**
             * @description To the primary applicant; empty on a primary applicant. Accepts text with at least one visible character.
             * @example Child
             */
            relationship: string;
            /** @example 2024-02-01T00:00:00 */
            hireDate?: components["schemas"]["OptionalDate"];
            metaData?: components["schemas"]["MetaDataItem"][] | null;
            /** @description Current and historical passports. */
            passports?: components["schemas"]["Passport"][] | null;
            documents?: components["schemas"]["ApplicantDocument"][] | null;
            previousNames?: components["schemas"]["PreviousName"][] | null;
            /** @description UTC, with `Z`. Ignored in a write. */
            createdAt?: components["schemas"]["ReadOnlyTimestamp"];
            /** @description UTC, with `Z`. Ignored in a write. */
            updatedAt?: components["schemas"]["ReadOnlyTimestamp"];
        };
        DependentMergedEvent: {
            /** @constant */
            type: "dependent.merged";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                primaryApplicantId: string;
                absorbedApplicantId: string;
                retiredEmployeeNumber: string | null;
                employeeNumber: string | null;
            };
        };
        DependentNumberChangedEvent: {
            /** @constant */
            type: "dependent.number_changed";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                primaryApplicantId: string;
                previousEmployeeNumber: string | null;
                employeeNumber: string | null;
            };
        };
        DependentRestoredEvent: {
            /** @constant */
            type: "dependent.restored";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                primaryApplicantId: string;
                employeeNumber: string | null;
            };
        };
        DependentUnmergedEvent: {
            /** @constant */
            type: "dependent.unmerged";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                primaryApplicantId: string;
                restoredApplicantId: string;
                employeeNumber: string | null;
            };
        };
        DependentUpdatedEvent: {
            /** @constant */
            type: "dependent.updated";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                primaryApplicantId: string;
                employeeNumber: string | null;
            };
        };
        DeskDocument: {
            documentId: string;
            /** @description As sent; the default is `Applicant document` for an applicant record and `Case document` for a case. */
            type: string;
            name: string | null;
            description: string | null;
            /**
             * @description `expiring`: within 90 days before the expiry date. `expired`: after it.
             * @enum {string}
             */
            status: "active" | "expiring" | "expired";
            /** @description YYYY-MM-DDTHH:MM:SS, as sent, without time zone. */
            issueDate: string | null;
            /** @description YYYY-MM-DDTHH:MM:SS, as sent, without time zone. */
            expiryDate: string | null;
            remindAboutRenewal: boolean;
            expiryReminder: number | string | null;
            referenceNumber: string | null;
            country: string | null;
            /** @description Country whose repository stores the file. */
            countryCode: string | null;
            fileName: string | null;
            contentType: string | null;
            /** @description Bytes. */
            size: number | null;
            /** @description Hash of the file, in hexadecimal. */
            sha256: string | null;
            hasFile: boolean;
            /** @description Null on a document of an applicant record, and on a file that was uploaded for the person. */
            caseId: string | null;
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            createdAt: string;
            updatedAt: string;
            /** @description Number of the current version of the file; null without a file. */
            fileVersion: number | null;
            removal: components["schemas"]["DocumentRemoval"];
        };
        DismissDuplicate: {
            /** @description The ids of the two records, in any order. */
            applicantIds: string[];
            /** @description For the colleagues; stored with the dismissal. */
            reason?: string | null;
        };
        Document: {
            documentId: string;
            /** @description As sent; the default is `Applicant document` for an applicant record and `Case document` for a case. */
            type: string;
            name: string | null;
            description: string | null;
            /**
             * @description `expiring`: within 90 days before the expiry date. `expired`: after it.
             * @enum {string}
             */
            status: "active" | "expiring" | "expired";
            /** @description YYYY-MM-DDTHH:MM:SS, as sent, without time zone. */
            issueDate: string | null;
            /** @description YYYY-MM-DDTHH:MM:SS, as sent, without time zone. */
            expiryDate: string | null;
            remindAboutRenewal: boolean;
            expiryReminder: number | string | null;
            referenceNumber: string | null;
            country: string | null;
            /** @description Country whose repository stores the file. */
            countryCode: string | null;
            fileName: string | null;
            contentType: string | null;
            /** @description Bytes. */
            size: number | null;
            /** @description Hash of the file, in hexadecimal. */
            sha256: string | null;
            hasFile: boolean;
            /** @description Null on a document of an applicant record, and on a file that was uploaded for the person. */
            caseId: string | null;
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            createdAt: string;
            updatedAt: string;
        };
        DocumentApplicant: {
            applicantId: string;
            /** @description Current employee number. */
            employeeNumber: string | null;
            /** @description Null where the caller may see neither the record nor a case of the person. */
            firstName: string | null;
            lastName: string | null;
        };
        DocumentCorrection: {
            /** @description Accepts text with at least one visible character. */
            name?: string;
            /** @description Kind of document; null for the default. */
            type?: string | null;
            description?: string | null;
            issueDate?: components["schemas"]["OptionalDate"];
            expiryDate?: components["schemas"]["OptionalDate"];
            referenceNumber?: string | null;
            country?: components["schemas"]["OptionalCountryCode"];
        };
        DocumentCreatedEvent: {
            /** @constant */
            type: "document.created";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                documentId: string;
                caseId: string | null;
                employeeNumber: string | null;
            };
        };
        DocumentExpiry: {
            /**
             * Format: wall-clock
             * @description Accepts a real calendar date such as 2027-06-30.
             */
            ExpiryDate: string;
            /** @description Whether renewal notifications are sent. */
            RemindAboutRenewal?: boolean;
            /**
             * Format: reminder
             * @description Accepts at most 3650 days before expiry (30, "30" or "90,30,7"), a date, or an ISO 8601 duration such as P3M.
             */
            ExpiryReminder?: number | string | null;
        };
        DocumentFileUpload: {
            /**
             * @description Country whose repository stores the file.
             * @enum {string}
             */
            countryCode?: "US" | "EDU" | "UK" | "FR" | "DE" | "IR" | "ES" | "CH";
            /**
             * Format: binary
             * @description The file; not empty.
             */
            document: string;
        };
        DocumentFileVersion: {
            /** @description From 1 for the first file. */
            fileVersion: number;
            fileName: string;
            contentType: string;
            /** @description Bytes. */
            size: number;
            /** @description Hash of the file, in hexadecimal. */
            sha256: string;
            /** @description Country whose repository stores the file. */
            countryCode: string;
            /** @description Client, or `user:` and the id of a person; null for files of early releases. */
            uploadedBy: string | null;
            createdAt: string;
            /** @description Null for the current version. */
            replacedAt: string | null;
        };
        DocumentIdentifiers: {
            /** @description Encoded id. */
            documentId: string;
            /** @description Encoded id. */
            applicantId: string;
            /** @description Null on a document of an applicant record, and on a file that was uploaded for the person. */
            caseId: string | null;
        };
        /** @description The record, or only its identifiers for a caller without the scope `documents:read`. */
        DocumentOrIdentifiers: components["schemas"]["Document"] | components["schemas"]["DocumentIdentifiers"];
        DocumentPage: {
            records: components["schemas"]["Document"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
        };
        /** @description Null for a document that is not removed. */
        DocumentRemoval: {
            /** @description UTC, with `Z`. */
            removedAt: string;
            /** @description Person or client; null where a write of the record left the document out. */
            removedBy: string | null;
            /** @description Null where a write of the record left the document out. */
            reason: string | null;
        } | null;
        DocumentRemovalRequest: {
            /** @description Why the document is removed. */
            reason: components["schemas"]["RequiredText"];
        };
        DocumentRemovedEvent: {
            /** @constant */
            type: "document.removed";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                documentId: string;
                caseId: string | null;
                employeeNumber: string | null;
            };
        };
        DocumentRenewalDueEvent: {
            /** @constant */
            type: "document.renewal_due";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                documentId: string;
                caseId: string | null;
                employeeNumber: string | null;
            };
        };
        DocumentUpdatedEvent: {
            /** @constant */
            type: "document.updated";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                documentId: string;
                caseId: string | null;
                employeeNumber: string | null;
            };
        };
        DocumentUpload: {
            /** @description Encoded id of the case that the document belongs to. */
            caseId: string;
            /**
             * @description Country whose repository stores the file.
             * @enum {string}
             */
            countryCode: "US" | "EDU" | "UK" | "FR" | "DE" | "IR" | "ES" | "CH";
            /**
             * Format: binary
             * @description The file; not empty.
             */
            document: string;
            /** @description Name of the document; the default is the name of the file. */
            name?: string;
            /** @description Kind of document. */
            type?: string;
            /** @description Free text. */
            description?: string;
            /** @description Date such as 2026-03-01. */
            issueDate?: string;
            /** @description Date such as 2027-06-30. */
            expiryDate?: string;
            /** @description Number of the document. */
            referenceNumber?: string;
            /** @description Country code of the document, two or three letters. */
            country?: string;
        };
        DuplicateDismissal: {
            applicantIds: string[];
            /** @description Passport 60, name and birth date 40, e-mail address 20; at most 100. */
            score: number;
            /** @description What the two records have in common. */
            reasons: ("passport" | "nameAndBirthDate" | "email")[];
            reason: string | null;
            /** @description Name of the person, or id of the client. */
            dismissedBy: string;
            /** @description UTC, with `Z`. */
            dismissedAt: string;
        };
        DuplicateDismissalIdentifiers: {
            applicantIds: string[];
        };
        /** @description The record, or only its identifiers for a caller without the scope `desk:read`. */
        DuplicateDismissalOrIdentifiers: components["schemas"]["DuplicateDismissal"] | components["schemas"]["DuplicateDismissalIdentifiers"];
        DuplicatePage: {
            records: components["schemas"]["DuplicatePair"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        DuplicatePair: {
            /** @description Passport 60, name and birth date 40, e-mail address 20; at most 100. */
            score: number;
            /** @description What the two records have in common. */
            reasons: ("passport" | "nameAndBirthDate" | "email")[];
            applicants: components["schemas"]["PossibleDuplicate"][];
            /** @description When these reasons were found. UTC, with `Z`. */
            foundAt: string;
        };
        EmployeeNumberChange: {
            applicantId: string;
            previousEmployeeNumber: string | null;
            employeeNumber: string;
            casesUpdated: number;
            documentsUpdated: number;
        };
        Expiring: {
            /** @enum {string} */
            kind: "document" | "passport";
            /** @description YYYY-MM-DD. */
            expiryDate: string;
            /**
             * @description `expiring` within 90 days, `expired` after the expiry date.
             * @enum {string}
             */
            status: "active" | "expiring" | "expired";
            /** @description Null on a passport. */
            documentId: string | null;
            /** @description Null on a document. */
            passportId: string | null;
            /** @description Name of the document; null on a passport. */
            name: string | null;
            /** @description Type of the document; `Passport` on a passport. */
            type: string;
            /** @description Country of the document or passport. */
            country: string | null;
            /** @description The case that the document was uploaded to. */
            caseId: string | null;
            applicant: components["schemas"]["DocumentApplicant"];
        };
        ExpiringPage: {
            records: components["schemas"]["Expiring"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        FamilyMember: {
            applicantId: string;
            /** @description Null on a primary applicant. */
            primaryApplicantId: string | null;
            employeeNumber: string | null;
            firstName: string | null;
            lastName: string | null;
            dateOfBirth: string | null;
            email: string | null;
            relationship: string;
            status: string | null;
            nationality: string | null;
            sendingCompany: string | null;
            createdAt: string;
            updatedAt: string;
            archivedAt: string | null;
            /** @description What expires next: at most one passport and one document, soonest first. Of each kind it is the first on or after today; where there is none, the last that has expired. */
            nextExpiries: components["schemas"]["NextExpiry"][];
            /** @description Cases of the person that are open or pending, as far as the caller sees them. */
            openCases: number;
        };
        FoundApplicant: {
            applicantId: string;
            /** @description Null on a primary applicant. */
            primaryApplicantId: string | null;
            employeeNumber: string | null;
            firstName: string | null;
            lastName: string | null;
            dateOfBirth: string | null;
            email: string | null;
            relationship: string;
            status: string | null;
            nationality: string | null;
            sendingCompany: string | null;
            createdAt: string;
            updatedAt: string;
            archivedAt: string | null;
        };
        Health: {
            /** @constant */
            status: "ok";
        };
        IdentityCheck: {
            firstName: string;
            lastName: string;
            /**
             * Format: wall-clock
             * @description Accepts a real calendar date such as 1990-05-31.
             */
            dateOfBirth: string;
        };
        Import: {
            /** @description Encoded id. */
            importId: string;
            /**
             * @description `receiving` the file, `checking` its rows, `held` by the guard until it is released, `running` (applying the rows). A dry run is `completed` once its rows are checked.
             * @enum {string}
             */
            status: "receiving" | "checking" | "held" | "running" | "completed" | "cancelled" | "failed";
            /** @enum {string} */
            mode: "replace" | "merge";
            dryRun: boolean;
            complete: boolean;
            /** @enum {string} */
            format: "ndjson" | "csv";
            counts: components["schemas"]["ImportCounts"];
            progress: components["schemas"]["ImportProgress"];
            /** @description Why the import is held, or a dry run would be; null otherwise. */
            held: components["schemas"]["ImportHeld"] | null;
            /** @description Why the import failed; null otherwise. */
            problem: components["schemas"]["ImportProblem"] | null;
            /** @description The client that sent the file, or `user:` and the id of a person. */
            createdBy: string;
            /** @description The person's name; null for a client. */
            createdByName: string | null;
            /** @description UTC, with `Z`. */
            createdAt: string;
            /** @description UTC, with `Z`. */
            updatedAt: string;
            /** @description UTC, with `Z`; null unless it was released. */
            releasedAt: string | null;
            /** @description UTC, with `Z`; null before its end. */
            finishedAt: string | null;
        };
        /** @description Rows by outcome: what they would do once they are checked, what they did once they are applied. So of an import that is `held`, `cancelled` or `failed`, they have what the check found for the rows that were not applied: `progress.applied` says how many were, and `applied` of each row which. */
        ImportCounts: {
            /** @description Rows of the file; of a CSV file, families. */
            total: number;
            /** @description Families that are new. */
            created: number;
            /** @description Families that change. */
            updated: number;
            /** @description Families that are stored like this already. */
            unchanged: number;
            /** @description Rows with an error. Nothing of them is applied. */
            rejected: number;
            /** @description With `complete`: people who are stored and not in the file. They are not changed. */
            missing: number;
        };
        ImportFieldError: {
            pointer: string;
            detail: string;
        };
        ImportHeld: {
            /** @description People from whom the import would take something. */
            people: number;
            /** @description The most people that it may take something from: 5 % of those that it names, at least 25. */
            limit: number;
            reasons: components["schemas"]["ImportHeldReason"][];
        };
        ImportHeldReason: {
            /** @enum {string} */
            code: "values-taken" | "dependents-taken" | "companies-taken";
            detail: string;
            /** @description People concerned. */
            people: number;
            /** @description The first rows concerned. */
            samples: components["schemas"]["ImportSample"][];
        };
        ImportPage: {
            records: components["schemas"]["Import"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        /** @description A problem document (RFC 9457), as a single request would get it. */
        ImportProblem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description As of a single request, such as `invalid-request`. */
            code: string;
            errors?: components["schemas"]["ImportFieldError"][];
            /** @description The id of the record that a merge has made of this one. */
            mergedInto?: string;
        };
        ImportProgress: {
            /** @description Rows that were checked, of `counts.total`. */
            checked: number;
            /** @description Rows that were applied, of `toApply`. */
            applied: number;
            /** @description Rows to apply, as far as it is known; rejected rows are tried again. 0 for a dry run that was not released. */
            toApply: number;
        };
        ImportRow: {
            /** @description From 1: the line of NDJSON, or the record of CSV after the header. Null for a person who is missing. */
            row: number | null;
            /** @description Employee number of the primary applicant; null where the row has none. */
            employeeNumber: string | null;
            /** @description Id of the primary applicant; null while there is none. */
            applicantId: string | null;
            /** @enum {string} */
            outcome: "created" | "updated" | "unchanged" | "rejected" | "missing";
            /** @description Whether the row was applied. False in a dry run. */
            applied: boolean;
            /** @description JSON pointers to what changes. A dependent of the row is named by its index, one that is archived by its id; an item by its id, and a new one by `-`. */
            changed: string[];
            /** @description Why the row is rejected; null otherwise. */
            problem: components["schemas"]["ImportProblem"] | null;
        };
        ImportRowContent: {
            row: number;
            /** @description With `primaryApplicant` and `dependents`, as they were sent. */
            content: {
                [key: string]: unknown;
            } | null;
        };
        ImportRowPage: {
            records: components["schemas"]["ImportRow"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        ImportSample: {
            row: number;
            employeeNumber: string;
            changed: string[];
        };
        InvitationAcceptance: {
            token: string;
            /** @description Accepts an e-mail address of at most 320 characters. */
            email?: string;
            /** @description Accepts text with at least one visible character. */
            name?: string;
            /** @description At least 12 characters, not counting spaces around them, not easy to guess, and not the e-mail address or name. */
            password?: string;
        };
        InvitationLink: {
            /** @description Works once. Only in this response; the token in it is stored as a hash. */
            url: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            expiresAt: string;
        };
        InvitedUser: {
            userId: string;
            email: string;
            name: string;
            /** @description Empty where the external issuer gives the person no role any more. */
            roles: ("viewer" | "case-manager" | "auditor" | "admin")[];
            /** @description Ids of the companies whose records the person can see; null is all of them. */
            companies: string[] | null;
            /** @description A user who is not active cannot sign in and has no session. */
            active: boolean;
            /** @description When the person signed in for the first time; null while the invitation is open. */
            joinedAt: string | null;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
            invitation: components["schemas"]["InvitationLink"];
        };
        JwkSet: {
            keys: {
                [key: string]: string;
            }[];
        };
        ListedApplicant: {
            applicantId: string;
            /** @description Null on a primary applicant. */
            primaryApplicantId: string | null;
            employeeNumber: string | null;
            firstName: string | null;
            lastName: string | null;
            dateOfBirth: string | null;
            email: string | null;
            relationship: string;
            status: string | null;
            nationality: string | null;
            sendingCompany: string | null;
            createdAt: string;
            updatedAt: string;
            archivedAt: string | null;
            /** @description What expires next: at most one passport and one document, soonest first. Of each kind it is the first on or after today; where there is none, the last that has expired. */
            nextExpiries?: components["schemas"]["NextExpiry"][];
            /** @description Cases of the person that are open or pending, as far as the caller sees them. */
            openCases?: number;
            /** @description Dependents that are not archived; none for a person who is a dependent. */
            dependents?: components["schemas"]["FamilyMember"][];
        };
        ListedAssignee: {
            userId: string;
            name: string;
        } | null;
        ListedCase: {
            caseId: string;
            /** @enum {string} */
            status: "open" | "pending" | "closed";
            caseType: string | null;
            processName: string | null;
            hostCountry: string | null;
            hostCompanyId: string;
            sendingCompanyId: string;
            billingCompanyId: string;
            applicant: components["schemas"]["ListedCaseApplicant"];
            currentStep: components["schemas"]["ListedStep"];
            progress: components["schemas"]["CaseProgress"];
            assignee: components["schemas"]["ListedAssignee"];
            /** @description Of the case itself. */
            dueDate: string | null;
            /** @description The first date on which the case or one of its unfinished steps is due. Null if there is none, or the case is closed. */
            nextDueDate: string | null;
            /** @description Whether `nextDueDate` is before today, UTC. */
            overdue: boolean;
            createdAt: string;
            updatedAt: string;
        };
        /** @description As sent when the case was created. */
        ListedCaseApplicant: {
            applicantId: string;
            /** @description Current employee number. */
            employeeNumber: string | null;
            firstName: string | null;
            lastName: string | null;
            vip: boolean;
        };
        ListedDocument: {
            documentId: string;
            /** @description As sent; the default is `Applicant document` for an applicant record and `Case document` for a case. */
            type: string;
            name: string | null;
            description: string | null;
            /**
             * @description `expiring`: within 90 days before the expiry date. `expired`: after it.
             * @enum {string}
             */
            status: "active" | "expiring" | "expired";
            /** @description YYYY-MM-DDTHH:MM:SS, as sent, without time zone. */
            issueDate: string | null;
            /** @description YYYY-MM-DDTHH:MM:SS, as sent, without time zone. */
            expiryDate: string | null;
            remindAboutRenewal: boolean;
            expiryReminder: number | string | null;
            referenceNumber: string | null;
            country: string | null;
            /** @description Country whose repository stores the file. */
            countryCode: string | null;
            fileName: string | null;
            contentType: string | null;
            /** @description Bytes. */
            size: number | null;
            /** @description Hash of the file, in hexadecimal. */
            sha256: string | null;
            hasFile: boolean;
            /** @description Null on a document of an applicant record, and on a file that was uploaded for the person. */
            caseId: string | null;
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            createdAt: string;
            updatedAt: string;
            applicant: components["schemas"]["DocumentApplicant"];
        };
        ListedDocumentPage: {
            records: components["schemas"]["ListedDocument"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        /** @description The first step in progress, or else the first that has not started. Null if none is left. */
        ListedStep: {
            stepId: string;
            name: string;
            /** @enum {string} */
            status: "notStarted" | "inProgress" | "completed" | "waived";
            dueDate: string | null;
            assignee: components["schemas"]["ListedAssignee"];
        } | null;
        Me: {
            /** @description The caller in the audit; `user:<userId>` for a person. */
            clientId: string;
            /** @description Null for a client. */
            userId: string | null;
            /** @description Of the person or the client. */
            name: string;
            /** @description Empty for a client, which has scopes only. */
            roles: ("viewer" | "case-manager" | "auditor" | "admin")[];
            scopes: ("applicants:read" | "applicants:write" | "cases:read" | "cases:write" | "documents:read" | "documents:write" | "desk:read" | "desk:write" | "setup:write" | "webhooks:write" | "access:write" | "audit:read" | "admin")[];
            /** @description Ids of the companies whose records the person can see; null is all of them. */
            companies: string[] | null;
        };
        Merge: {
            mergeId: string;
            /** @description Id of the record that remained. */
            applicantId: string;
            absorbedApplicantId: string;
            /** @description The number that remained. */
            employeeNumber: string | null;
            retiredEmployeeNumber: string | null;
            /** @description Dependents that both had: the one that remains, and the one that it absorbed. */
            mergedDependents: components["schemas"]["MergedDependent"][];
            /** @description Name of the person, or id of the client. */
            mergedBy: string;
            /** @description UTC, with `Z`. */
            mergedAt: string;
            undoneBy: string | null;
            undoneAt: string | null;
        };
        MergeApplicant: {
            primaryApplicant?: components["schemas"]["PrimaryApplicantPatch"];
            /** @description Accepts an array of at most 100 dependents; leave it out to keep them as they are. */
            dependents?: components["schemas"]["ApplicantPatch"][];
        };
        /** @description For each field whose value remains: that of the record of the path (`target`) or of the absorbed one (`source`), also where it is empty. A field that is left out keeps the value of the target, or gets that of the source where the target has none. Lists always have the items of both; the choice decides whose values an item has that both have. */
        MergeChoices: {
            /** @enum {string} */
            status?: "target" | "source";
            /** @enum {string} */
            email?: "target" | "source";
            /** @enum {string} */
            alternateEmail?: "target" | "source";
            /** @enum {string} */
            firstName?: "target" | "source";
            /** @enum {string} */
            lastName?: "target" | "source";
            /** @enum {string} */
            middleName?: "target" | "source";
            /** @enum {string} */
            gender?: "target" | "source";
            /** @enum {string} */
            maritalStatus?: "target" | "source";
            /** @enum {string} */
            sendingCompany?: "target" | "source";
            /** @enum {string} */
            dateOfBirth?: "target" | "source";
            /** @enum {string} */
            countryOfBirth?: "target" | "source";
            /** @enum {string} */
            cityOfBirth?: "target" | "source";
            /** @enum {string} */
            nationality?: "target" | "source";
            /** @enum {string} */
            addressLine1?: "target" | "source";
            /** @enum {string} */
            addressLine2?: "target" | "source";
            /** @enum {string} */
            addressCity?: "target" | "source";
            /** @enum {string} */
            addressState?: "target" | "source";
            /** @enum {string} */
            addressPostalCode?: "target" | "source";
            /** @enum {string} */
            addressCountry?: "target" | "source";
            /** @enum {string} */
            telephone?: "target" | "source";
            /** @enum {string} */
            alternateTelephone?: "target" | "source";
            /** @enum {string} */
            jobTitle?: "target" | "source";
            /** @enum {string} */
            relationship?: "target" | "source";
            /** @enum {string} */
            hireDate?: "target" | "source";
            /** @enum {string} */
            metaData?: "target" | "source";
            /** @enum {string} */
            passports?: "target" | "source";
            /** @enum {string} */
            documents?: "target" | "source";
            /** @enum {string} */
            previousNames?: "target" | "source";
        };
        MergedDependent: {
            applicantId: string;
            absorbedApplicantId: string;
        };
        MergeDifference: {
            field: string;
            target: string | null;
            source: string | null;
            /** @enum {string} */
            chosen: "target" | "source";
        };
        MergeIdentifiers: {
            /** @description Encoded id. */
            absorbedApplicantId: string;
            mergeId: string | null;
            applicant: components["schemas"]["ApplicantIdentifiers"];
            moved: components["schemas"]["MovedRecordIdentifiers"];
        };
        MergePage: {
            records: components["schemas"]["Merge"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        MergeRecords: {
            /** @description Encoded id of the record to absorb. Accepts 4 to 128 characters of A-Z, a-z, 0-9, - and _, with up to two = at the end, but not "health" or "employeenumber". */
            from: string;
            /** @description `ETag` of the record to absorb: 412 if it has another one. */
            fromVersion?: string;
            choices?: components["schemas"]["MergeChoices"];
            /**
             * @description Whose employee number remains. Left out, it is the only one there is, or that of the target.
             * @enum {string}
             */
            employeeNumber?: "target" | "source";
            /**
             * @description Whether to write nothing.
             * @default false
             */
            dryRun?: boolean;
        };
        MergeResult: {
            /** @description Null for a dry run. */
            mergeId: string | null;
            dryRun: boolean;
            applicant: components["schemas"]["Applicant"];
            dependents: components["schemas"]["Applicant"][];
            absorbedApplicantId: string;
            /** @description The number that is not used any more. Only an undo gives it back. */
            retiredEmployeeNumber: string | null;
            moved: components["schemas"]["MovedRecords"];
            /** @description Dependents that both had: the one that remains, and the one that it absorbed. */
            mergedDependents: components["schemas"]["MergedDependent"][];
            /** @description Documents of the absorbed record that the other one has too: they are removed. */
            removedDocuments: string[];
            /** @description Fields in which the two records differed, and whose value the merged one has. */
            differences: components["schemas"]["MergeDifference"][];
        };
        /** @description The record, or only its identifiers for a caller without the scope `applicants:read`. */
        MergeResultOrIdentifiers: components["schemas"]["MergeResult"] | components["schemas"]["MergeIdentifiers"];
        MetaDataIdentifiers: {
            /** @description Encoded id. */
            noteId: string;
        };
        MetaDataItem: {
            noteId?: components["schemas"]["OptionalId"];
            /**
             * @description Name of the tag.
             * @example costCenter
             */
            tagName?: string | null;
            /**
             * @description Value of the tag.
             * @example 4711
             */
            value?: string | null;
        };
        MetaDataRecord: {
            noteId?: string | null;
            /**
             * @description Name of the tag.
             * @example costCenter
             */
            tagName?: string | null;
            /**
             * @description Value of the tag.
             * @example 4711
             */
            value?: string | null;
        };
        MovedRecordIdentifiers: {
            cases: string[];
            documents: string[];
            dependents: string[];
        };
        MovedRecords: {
            /** @description Cases of the absorbed record and of absorbed dependents, as far as the caller sees them. */
            cases: string[];
            /** @description Their documents, those of cases included. */
            documents: string[];
            /** @description Dependents of the absorbed record that move to the other family. */
            dependents: string[];
        };
        NewApiKey: {
            /** @description For people: what uses this client or key. */
            name: string;
        };
        NewBlockedCaller: {
            /** @description Accepts oidc:<issuer>:<subject>, oidc:<issuer>:<subject>:<client> or oidc:<issuer>::<client>. */
            caller: string;
            /** @description For people: why it is blocked. */
            reason: components["schemas"]["RequiredText"];
        };
        NewCalendar: {
            /** @description Address of the calendar, with a secret in it. */
            url: string;
            /** @description UTC, with `Z`. */
            createdAt: string;
        };
        NewCase: {
            /**
             * @description Type of the immigration case. Accepts text with at least one visible character.
             * @example Work Permit
             */
            caseType: string;
            /**
             * @description Company in the destination country. Name, code or id of an active company.
             * @example Acme GmbH
             */
            hostCompany: components["schemas"]["RequiredText"];
            /**
             * @description Company that the person comes from. Name, code or id of an active company.
             * @example Acme GmbH
             */
            sendingCompany: components["schemas"]["RequiredText"];
            /**
             * @description Company that pays. Name, code or id of an active company.
             * @example Acme GmbH
             */
            billingCompany: components["schemas"]["RequiredText"];
            /** @description Destination country. */
            hostCountry?: components["schemas"]["OptionalCountryCode"];
            hostCity?: components["schemas"]["OptionalText"];
            homeCountry?: components["schemas"]["OptionalCountryCode"];
            assignmentId?: string | null;
            /** @description Name of the process that has the steps. */
            processName?: string | null;
            payrollLocation?: components["schemas"]["OptionalText"];
            salary?: string | null;
            newJobTitle?: components["schemas"]["OptionalText"];
            placeOfWork?: components["schemas"]["OptionalText"];
            authorizingPerson?: components["schemas"]["OptionalText"];
            costCenter?: string | null;
            department?: components["schemas"]["OptionalText"];
            billingReference?: components["schemas"]["OptionalText"];
            applicant: components["schemas"]["CaseApplicantInput"];
            /** @description Custom tags. Spelled in lower case here. */
            metadata?: components["schemas"]["CaseMetadataItem"][] | null;
        };
        NewClient: {
            /** @description For people: what uses this client or key. */
            name: string;
            scopes: ("applicants:read" | "applicants:write" | "cases:read" | "cases:write" | "documents:read" | "documents:write" | "desk:read" | "desk:write" | "setup:write" | "webhooks:write" | "access:write" | "audit:read" | "admin")[];
            /** @description Ids of the companies whose records it sees and changes; null is all companies. */
            companies?: string[] | null;
            /** @description Accepts 1 to 128 printable characters without a colon, but not . or .., or for a caller of the external issuer oidc:<issuer>:<subject>, oidc:<issuer>:<subject>:<client> or oidc:<issuer>::<client>. */
            clientId?: string;
        };
        NewCompany: {
            /** @description Unique without regard to case. */
            name: string;
            /**
             * @description Short name, unique without regard to case.
             * @example ACME-DE
             */
            code?: string | null;
            country?: components["schemas"]["OptionalCountryCode"];
            /** @description A new case can only name active companies. */
            active?: boolean;
        };
        NewNote: {
            content: string;
            /** @description A client can name an author; a person who is signed in cannot. */
            author?: string;
            /**
             * @description `team`: only callers with `desk:read` see the note. `everyone`: all who may read the case.
             * @enum {string}
             */
            visibility?: "team" | "everyone";
        };
        NewPasskey: {
            /** @description The challenge of the step before. */
            challenge: string;
            /** @description For the person: which device it is. Accepts text with at least one visible character. */
            name: string;
            /** @description What `toJSON()` of the credential returns in the browser. */
            response: Record<string, never>;
        };
        NewStep: {
            name: string;
            sequence?: number;
            /**
             * Format: day
             * @description Day by which the step should be completed. Accepts a real calendar day such as 2026-03-01.
             */
            dueDate?: string | null;
            /** @description Id of an active user who sees a company of the case. Null removes the assignee. GET /admin/v1/colleagues lists the users. */
            assigneeId?: string | null;
        };
        NewUser: {
            /**
             * @description Unique without regard to case. The person signs in with it. Accepts an e-mail address of at most 320 characters.
             * @example r.okafor@example.com
             */
            email: string;
            /** @description For people: shown in the audit and beside notes. Accepts text with at least one visible character. */
            name: string;
            /** @description Sets of scopes: `viewer` reads, `case-manager` also writes, `auditor` also reads the audit, `admin` may do everything. */
            roles: ("viewer" | "case-manager" | "auditor" | "admin")[];
            /** @description Ids of the companies whose records the person can see; null is all of them. */
            companies?: string[] | null;
        };
        NewView: {
            /**
             * @description The list that the view is of.
             * @enum {string}
             */
            screen: "cases" | "applicants" | "documents" | "expiring";
            /** @description Unique for its owner and screen, without regard to case. Accepts text with at least one visible character. */
            name: string;
            /**
             * @description The filters and `sort`, named and written as the query parameters of the list. For `cases` also `show`: `table` or `board`.
             * @example {
             *       "assignee": "me",
             *       "due": "overdue",
             *       "sort": "dueDate"
             *     }
             */
            query: {
                [key: string]: string;
            };
            /** @description Whether the team sees the view: all users whose companies include those of its owner. */
            shared?: boolean;
        };
        NewWebhook: {
            /**
             * @description http or https, without user name and password. Private addresses are rejected.
             * @example https://hr.example.com/hooks/caseport
             */
            url: string;
            /** @description For people: its purpose. */
            description?: string;
            /** @description Types that it subscribes to; an empty list means all. */
            eventTypes?: ("applicant.created" | "applicant.updated" | "applicant.number_changed" | "applicant.merged" | "applicant.unmerged" | "dependent.created" | "dependent.updated" | "dependent.number_changed" | "dependent.archived" | "dependent.restored" | "dependent.merged" | "dependent.unmerged" | "case.created" | "case.updated" | "case.status_changed" | "case.step_changed" | "case.note_added" | "case.note_changed" | "case.checklist_changed" | "document.created" | "document.updated" | "document.removed" | "document.renewal_due" | "passport.renewal_due")[];
            /** @description An inactive webhook receives nothing, and events of that time are not stored for it. */
            active?: boolean;
        };
        /** @description The first step after it that is neither completed nor waived, which is in progress now; null if there is none. */
        NextCaseStep: {
            stepId: string;
            caseId: string;
            applicantId: string;
            /** @description Current employee number of the applicant. */
            employeeNumber: string | null;
            sequence: number;
            name: string;
            /** @enum {string} */
            status: "notStarted" | "inProgress" | "completed" | "waived";
            /** @description YYYY-MM-DD. */
            startDate: string | null;
            /** @description YYYY-MM-DD. */
            completionDate: string | null;
            /** @description YYYY-MM-DD: as an operator has set it, else `dueDays` of the process after the start. A step is overdue from the day after, while it is not completed or waived. */
            dueDate: string | null;
            assignee: components["schemas"]["Assignee"];
            createdAt: string;
            updatedAt: string;
        } | null;
        NextExpiry: {
            /** @enum {string} */
            kind: "document" | "passport";
            /** @description Id of the document or the passport. */
            itemId: string;
            /** @description Null on a passport. */
            name: string | null;
            /** @description Type of the document; `Passport` on a passport. */
            type: string;
            country: string | null;
            /** @description YYYY-MM-DD. */
            expiryDate: string;
        };
        NextStepIdentifiers: {
            /** @description Encoded id. */
            stepId: string;
            /** @description Encoded id. */
            caseId: string;
        } | null;
        NotePatch: {
            content?: string;
            /**
             * @description `team`: only callers with `desk:read` see the note. `everyone`: all who may read the case.
             * @enum {string}
             */
            visibility?: "team" | "everyone";
        };
        Notification: {
            notificationId: string;
            /** @description The document that expires; null for a passport. */
            documentId: string | null;
            /** @description The passport that expires; null for a document. */
            passportId: string | null;
            applicantId: string;
            /** @description Expiry date that it announces. */
            expiryDate: string;
            /** @description Reminder of the schedule, such as `30 days`. */
            rung: string;
            /** @description Day on which it became due. */
            dueOn: string;
            /**
             * @description `pending`: to be sent. `sent`: accepted by the mail server. `recorded`: not sent, because there is no recipient or no need any more. `failed`: retried for days without success.
             * @enum {string}
             */
            state: "pending" | "sent" | "recorded" | "failed";
            attempts: number;
            /** @description UTC, with `Z`; null after the last attempt. */
            nextAttemptAt: string | null;
            lastError: string | null;
            createdAt: string;
            sentAt: string | null;
        };
        NotificationPage: {
            records: components["schemas"]["Notification"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
        };
        /** @description An error of the token endpoint (RFC 6749, section 5.2). */
        OAuthError: {
            error: string;
            error_description: string;
        };
        /**
         * @description Accepts a country code of two or three letters.
         * @example DE
         */
        OptionalCountryCode: string | null;
        /**
         * Format: wall-clock
         * @description Accepts a real calendar date such as 1990-05-31 or 1990-05-31T00:00:00.
         * @example 1990-05-31T00:00:00
         */
        OptionalDate: string | null;
        /** @description Accepts an e-mail address of at most 320 characters. */
        OptionalEmail: string | null;
        /**
         * @description Accepts 1 to 64 printable characters, with no space at either end.
         * @example E-10042
         */
        OptionalEmployeeNumber: string | null;
        /** @description Accepts 4 to 128 characters of A-Z, a-z, 0-9, - and _, with up to two = at the end, but not "health" or "employeenumber". */
        OptionalId: string | null;
        /** @description Accepts one letter, or nothing. */
        OptionalLetter: string | null;
        OptionalText: string | null;
        Overview: {
            cases: components["schemas"]["OverviewOfCases"];
            expiring: components["schemas"]["OverviewOfExpiry"];
            /** @description Webhooks that the service has disabled, or that have a delivery which failed and is tried again. */
            failingWebhooks: number;
            /** @description Imports that are held until they are released. 10001 means more than 10000. */
            heldImports: number;
        };
        OverviewOfCases: {
            /** @description Open cases. 10001 means more than 10000. */
            open: number;
            /** @description Pending cases. 10001 means more than 10000. */
            pending: number;
            /** @description Cases that were due before today. 10001 means more than 10000. */
            overdue: number;
            /** @description Cases that are due today or within 7 days. 10001 means more than 10000. */
            dueThisWeek: number;
            /** @description Open and pending cases without an assignee. 10001 means more than 10000. */
            unassigned: number;
        };
        OverviewOfExpiry: {
            /** @description Passports and documents that have expired. 10001 means more than 10000. */
            expired: number;
            /** @description Those that expire today or within 7 days. 10001 means more than 10000. */
            in7: number;
            /** @description Those that expire today or within 30 days. 10001 means more than 10000. */
            in30: number;
            /** @description Those that expire today or within 60 days. 10001 means more than 10000. */
            in60: number;
            /** @description Those that expire today or within 90 days. 10001 means more than 10000. */
            in90: number;
        };
        Passkey: {
            passkeyId: string;
            name: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /** @description UTC, with `Z`. */
            lastUsedAt: string | null;
        };
        PasskeyOptions: {
            /** @description Send it with the credential, within five minutes. */
            challenge: string;
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()` in the browser (WebAuthn). */
            options: {
                [key: string]: unknown;
            } | null;
        };
        Passport: {
            passportId?: components["schemas"]["OptionalId"];
            /**
             * @description May be empty.
             * @example C01X00T47
             */
            passportNumber?: string | null;
            issueDate?: components["schemas"]["OptionalDate"];
            expiryDate?: components["schemas"]["OptionalDate"];
            nationality?: components["schemas"]["OptionalCountryCode"];
            country?: components["schemas"]["OptionalCountryCode"];
            /**
             * @description Issuing authority.
             * @example DE
             */
            issuedBy?: string | null;
        };
        PassportIdentifiers: {
            /** @description Encoded id. */
            passportId: string;
        };
        PassportRecord: {
            passportId?: string | null;
            /**
             * @description May be empty.
             * @example C01X00T47
             */
            passportNumber?: string | null;
            /** @example 1990-05-31T00:00:00 */
            issueDate?: string | null;
            /** @example 1990-05-31T00:00:00 */
            expiryDate?: string | null;
            /** @example DE */
            nationality?: string | null;
            /** @example DE */
            country?: string | null;
            /**
             * @description Issuing authority.
             * @example DE
             */
            issuedBy?: string | null;
        };
        PassportRenewalDueEvent: {
            /** @constant */
            type: "passport.renewal_due";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                applicantId: string;
                passportId: string;
                employeeNumber: string | null;
            };
        };
        PasswordChange: {
            currentPassword?: string;
            /** @description At least 12 characters, not counting spaces around them, not easy to guess, and not the e-mail address or name. */
            newPassword: string;
        };
        PossibleDuplicate: {
            applicantId: string;
            /** @description Null on a primary applicant. */
            primaryApplicantId: string | null;
            employeeNumber: string | null;
            firstName: string | null;
            lastName: string | null;
            dateOfBirth: string | null;
            email: string | null;
            sendingCompany: string | null;
            createdAt: string;
            updatedAt: string;
        };
        PreviousName: {
            previousNameId?: components["schemas"]["OptionalId"];
            lastName?: components["schemas"]["OptionalText"];
            firstName?: components["schemas"]["OptionalText"];
            middleName?: components["schemas"]["OptionalText"];
        };
        PreviousNameIdentifiers: {
            /** @description Encoded id. */
            previousNameId: string;
        };
        PreviousNameRecord: {
            previousNameId?: string | null;
            lastName?: string | null;
            firstName?: string | null;
            middleName?: string | null;
        };
        PrimaryApplicantInput: {
            applicantId?: components["schemas"]["OptionalId"];
            /** @description Unique across primaries and dependents. */
            employeeNumber?: components["schemas"]["OptionalEmployeeNumber"];
            /**
             * @description The default is `A`.
             * @example A
             */
            status?: components["schemas"]["OptionalLetter"];
            /** @example anna.schmidt@example.com */
            email?: components["schemas"]["OptionalEmail"];
            alternateEmail?: components["schemas"]["OptionalEmail"];
            /** @example Anna */
            firstName: components["schemas"]["RequiredText"];
            /** @example Schmidt */
            lastName: components["schemas"]["RequiredText"];
            middleName?: components["schemas"]["OptionalText"];
            /** @example F */
            gender?: components["schemas"]["OptionalLetter"];
            /** @example M */
            maritalStatus?: components["schemas"]["OptionalLetter"];
            sendingCompany?: components["schemas"]["OptionalText"];
            dateOfBirth?: components["schemas"]["OptionalDate"];
            countryOfBirth?: components["schemas"]["OptionalCountryCode"];
            cityOfBirth?: components["schemas"]["OptionalText"];
            /** @example DE */
            nationality?: string | null;
            addressLine1?: components["schemas"]["OptionalText"];
            addressLine2?: components["schemas"]["OptionalText"];
            addressCity?: components["schemas"]["OptionalText"];
            addressState?: components["schemas"]["OptionalText"];
            addressPostalCode?: string | null;
            addressCountry?: components["schemas"]["OptionalCountryCode"];
            telephone?: string | null;
            alternateTelephone?: string | null;
            jobTitle?: components["schemas"]["OptionalText"];
            /**
             * @description To the primary applicant; empty on a primary applicant. Accepts nothing: a primary applicant has no relationship.
             * @example
             */
            relationship?: string | null;
            /** @example 2024-02-01T00:00:00 */
            hireDate?: components["schemas"]["OptionalDate"];
            metaData?: components["schemas"]["MetaDataItem"][] | null;
            /** @description Current and historical passports. */
            passports?: components["schemas"]["Passport"][] | null;
            documents?: components["schemas"]["ApplicantDocument"][] | null;
            previousNames?: components["schemas"]["PreviousName"][] | null;
            /** @description UTC, with `Z`. Ignored in a write. */
            createdAt?: components["schemas"]["ReadOnlyTimestamp"];
            /** @description UTC, with `Z`. Ignored in a write. */
            updatedAt?: components["schemas"]["ReadOnlyTimestamp"];
        };
        PrimaryApplicantPatch: {
            applicantId?: components["schemas"]["OptionalId"];
            /** @description Unique across primaries and dependents. */
            employeeNumber?: components["schemas"]["OptionalEmployeeNumber"];
            /**
             * @description The default is `A`.
             * @example A
             */
            status?: components["schemas"]["OptionalLetter"];
            /** @example anna.schmidt@example.com */
            email?: components["schemas"]["OptionalEmail"];
            alternateEmail?: components["schemas"]["OptionalEmail"];
            /**
             * @description Accepts text with at least one visible character.
             * @example Anna
             */
            firstName?: string | null;
            /**
             * @description Accepts text with at least one visible character.
             * @example Schmidt
             */
            lastName?: string | null;
            middleName?: components["schemas"]["OptionalText"];
            /** @example F */
            gender?: components["schemas"]["OptionalLetter"];
            /** @example M */
            maritalStatus?: components["schemas"]["OptionalLetter"];
            sendingCompany?: components["schemas"]["OptionalText"];
            dateOfBirth?: components["schemas"]["OptionalDate"];
            countryOfBirth?: components["schemas"]["OptionalCountryCode"];
            cityOfBirth?: components["schemas"]["OptionalText"];
            /** @example DE */
            nationality?: string | null;
            addressLine1?: components["schemas"]["OptionalText"];
            addressLine2?: components["schemas"]["OptionalText"];
            addressCity?: components["schemas"]["OptionalText"];
            addressState?: components["schemas"]["OptionalText"];
            addressPostalCode?: string | null;
            addressCountry?: components["schemas"]["OptionalCountryCode"];
            telephone?: string | null;
            alternateTelephone?: string | null;
            jobTitle?: components["schemas"]["OptionalText"];
            /**
             * @description To the primary applicant; empty on a primary applicant. Accepts nothing: a primary applicant has no relationship.
             * @example
             */
            relationship?: string | null;
            /** @example 2024-02-01T00:00:00 */
            hireDate?: components["schemas"]["OptionalDate"];
            metaData?: components["schemas"]["MetaDataItem"][] | null;
            /** @description Current and historical passports. */
            passports?: components["schemas"]["Passport"][] | null;
            documents?: components["schemas"]["ApplicantDocument"][] | null;
            previousNames?: components["schemas"]["PreviousName"][] | null;
            /** @description UTC, with `Z`. Ignored in a write. */
            createdAt?: components["schemas"]["ReadOnlyTimestamp"];
            /** @description UTC, with `Z`. Ignored in a write. */
            updatedAt?: components["schemas"]["ReadOnlyTimestamp"];
        };
        /** @description An error (RFC 9457). Branch on `code`: it never changes. */
        Problem: {
            /** @description Address of the description of the code. */
            type: string;
            /** @description What the code means, the same in every response. */
            title: string;
            status: number;
            /** @description What happened in this request. */
            detail: string;
            instance?: string;
            code: string;
            /** @description The same as in the X-Request-Id header. */
            requestId?: string;
            /** @description Every invalid field of the request. */
            errors?: {
                /** @description JSON pointer to the field, or `/name` of the path or query parameter. */
                pointer: string;
                /** @description What was expected. */
                detail: string;
            }[];
            /** @description Where the record was merged into another one: the id of that record, if the caller sees it. */
            mergedInto?: string;
        };
        Process: {
            name: string;
            caseType: string | null;
            hostCountry: string | null;
            steps: string[];
            /** @description For each step, the days from its start to its due date. Null where it has no due date. */
            dueDays: (number | null)[];
            updatedAt: string;
        };
        ProcessChecklist: {
            items: components["schemas"]["ProcessChecklistItem"][];
        };
        ProcessChecklistInput: {
            items: components["schemas"]["ProcessChecklistItemInput"][];
        };
        ProcessChecklistItem: {
            name: string;
            type: string | null;
            required: boolean;
        };
        ProcessChecklistItemInput: {
            /** @description What is needed; unique in the checklist. Accepts text with at least one visible character. */
            name: string;
            /** @description Type of the documents that fill the item. Left out, a document whose name or type is the name of the item fills it. */
            type?: string | null;
            /**
             * @description Whether the case needs it.
             * @default true
             */
            required?: boolean;
        };
        ProcessInput: {
            /**
             * @description Cases of this type use the process.
             * @example Work Permit
             */
            caseType?: string | null;
            /** @description Only cases with this host country; any country if it is left out. */
            hostCountry?: components["schemas"]["OptionalCountryCode"];
            steps: string[];
            /** @description For each step in the order of `steps`, the days from its start to its due date. Null where it has no due date. Left out, no step has one. */
            dueDays?: (number | null)[] | null;
        };
        ProtectedResourceMetadata: {
            resource: string;
            authorization_servers: string[];
            jwks_uri: string;
            scopes_supported: string[];
            bearer_methods_supported: string[];
        };
        /** @description UTC, with `Z`. Ignored in a write. */
        ReadOnlyTimestamp: string | null;
        RecoveryCodes: {
            recoveryCodes: string[];
        };
        RemovedDocument: {
            documentId: string;
            applicantId: string;
            /** @description Null on a document of an applicant record, and on a file that was uploaded for the person. */
            caseId: string | null;
            /** @description UTC, with `Z`. */
            removedAt: string;
            /** @description Person or client. */
            removedBy: string;
            reason: string;
        };
        /** @description The record, or only its identifiers for a caller without the scope `documents:read`. */
        RemovedDocumentOrIdentifiers: components["schemas"]["RemovedDocument"] | components["schemas"]["DocumentIdentifiers"];
        /** @description Accepts text with at least one visible character. */
        RequiredText: string;
        Restoration: {
            /**
             * @description Restores the record without its employee number.
             * @default false
             */
            withoutEmployeeNumber?: boolean;
        };
        SaveApplicant: {
            primaryApplicant: components["schemas"]["PrimaryApplicantInput"];
            /** @description Accepts an array of at most 100 dependents; leave it out to keep them as they are. */
            dependents?: components["schemas"]["DependentInput"][];
        };
        SavedApplicant: {
            primaryApplicant: components["schemas"]["Applicant"];
            dependents: components["schemas"]["Applicant"][];
        };
        SavedApplicantIdentifiers: {
            primaryApplicant: components["schemas"]["ApplicantIdentifiers"];
            dependents: components["schemas"]["ApplicantIdentifiers"][];
        };
        /** @description The record, or only its identifiers for a caller without the scope `applicants:read`. */
        SavedApplicantOrIdentifiers: components["schemas"]["SavedApplicant"] | components["schemas"]["SavedApplicantIdentifiers"];
        SavedView: {
            viewId: string;
            /**
             * @description The list that the view is of.
             * @enum {string}
             */
            screen: "cases" | "applicants" | "documents" | "expiring";
            /** @description Unique for its owner and screen, without regard to case. Accepts text with at least one visible character. */
            name: string;
            /**
             * @description The filters and `sort`, named and written as the query parameters of the list. For `cases` also `show`: `table` or `board`.
             * @example {
             *       "assignee": "me",
             *       "due": "overdue",
             *       "sort": "dueDate"
             *     }
             */
            query: {
                [key: string]: string;
            };
            /** @description Whether the team sees the view: all users whose companies include those of its owner. */
            shared: boolean;
            /** @description Whether the view belongs to the caller. */
            own: boolean;
            createdAt: string;
            updatedAt: string;
        };
        SearchResults: {
            /** @description Primary applicants and dependents. */
            people: components["schemas"]["FoundApplicant"][];
            /** @description Cases of any status. */
            cases: components["schemas"]["ListedCase"][];
            /** @description Documents of records and of cases. */
            documents: components["schemas"]["ListedDocument"][];
            /** @description Companies, active or not. */
            companies: components["schemas"]["Company"][];
        };
        SecretRotation: {
            /**
             * @description Seconds for which the old secret stays valid.
             * @default 0
             */
            graceSeconds?: number;
        };
        Session: {
            sessionId: string;
            /**
             * @description How the person has signed in.
             * @example password+totp
             */
            method: string;
            /** @description IP address of the sign-in. */
            address: string | null;
            /** @description What the browser calls itself. */
            userAgent: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /** @description UTC, with `Z`; exact to a minute. */
            lastSeenAt: string;
            /** @description UTC, with `Z`: twelve hours after the last request, at most seven days after the sign-in. */
            expiresAt: string;
            /** @description Whether this request belongs to it. */
            current: boolean;
        };
        SignedInUser: {
            userId: string;
            email: string;
            name: string;
            roles: ("viewer" | "case-manager" | "auditor" | "admin")[];
            scopes: ("applicants:read" | "applicants:write" | "cases:read" | "cases:write" | "documents:read" | "documents:write" | "desk:read" | "desk:write" | "setup:write" | "webhooks:write" | "access:write" | "audit:read" | "admin")[];
            companies: string[] | null;
        };
        SignInMethods: {
            password: boolean;
            passkey: boolean;
            externalIssuer: boolean;
        };
        SignInRequest: {
            email?: string;
            password?: string;
            /** @description The challenge of the step before. */
            challenge?: string;
            /** @description Of the authenticator app. Accepts a code of six digits. */
            code?: string;
            /** @description Works once. */
            recoveryCode?: string;
            /** @description What `toJSON()` of the credential returns in the browser. */
            passkey?: Record<string, never>;
        };
        SignInStep: {
            /**
             * @description What to ask the person for.
             * @enum {string}
             */
            next: "totp" | "passkey";
            /** @description Send it with the second factor, within five minutes. */
            challenge: string;
            /** @description All second factors that the person can use. */
            methods: ("totp" | "recovery-code" | "passkey")[];
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()` in the browser (WebAuthn). */
            passkey: {
                [key: string]: unknown;
            } | null;
        };
        StepCompletion: {
            step: components["schemas"]["CaseStep"];
            nextStep: components["schemas"]["NextCaseStep"];
        };
        StepCompletionIdentifiers: {
            step: components["schemas"]["CaseStepIdentifiers"];
            nextStep: components["schemas"]["NextStepIdentifiers"];
        };
        StepCompletionInput: {
            /**
             * Format: day
             * @description Day on which the step was completed; the current day if it is left out. Accepts a real calendar day such as 2026-03-01.
             */
            completionDate?: string | null;
        };
        /** @description The record, or only its identifiers for a caller without the scope `cases:read`. */
        StepCompletionOrIdentifiers: components["schemas"]["StepCompletion"] | components["schemas"]["StepCompletionIdentifiers"];
        StepPatch: {
            name?: string;
            /** @enum {string} */
            status?: "notStarted" | "inProgress" | "completed" | "waived";
            /**
             * Format: day
             * @description Accepts a real calendar day such as 2026-03-01.
             */
            startDate?: string | null;
            /**
             * Format: day
             * @description Accepts a real calendar day such as 2026-03-01.
             */
            completionDate?: string | null;
            /**
             * Format: day
             * @description Day by which the step should be completed. Null restores the due date of the process, if it has one. Accepts a real calendar day such as 2026-03-01.
             */
            dueDate?: string | null;
            /** @description Id of an active user who sees a company of the case. Null removes the assignee. GET /admin/v1/colleagues lists the users. */
            assigneeId?: string | null;
        };
        /** @description Who did it. Null for what the service does by itself, and where it is not known. */
        TimelineActor: {
            /** @description Null for a client. */
            userId: string | null;
            /** @description Null for a person, and for the author of a note. */
            clientId: string | null;
            /** @description Of the person at that time, or as a note names its author. */
            name: string | null;
        } | null;
        TimelineChange: {
            /**
             * @description JSON pointer to the field. An item of a list is named by its id: `/steps/{id}/status`.
             * @example /dueDate
             */
            pointer: string;
            /** @description Only for callers who may read the record. Null where there was nothing. */
            before?: Record<string, never> | unknown[] | string | number | boolean | null;
            /** @description Only for callers who may read the record. Null where nothing is left. */
            after?: Record<string, never> | unknown[] | string | number | boolean | null;
        };
        /** @description Null unless `kind` is `document`. */
        TimelineDocument: {
            documentId: string;
            /** @description Null on a document of the applicant record. */
            caseId: string | null;
            /** @description As it is now. Null for a caller without `documents:read`. */
            name: string | null;
            /** @description Null for a caller without `documents:read`. */
            type: string | null;
            isRemoved: boolean;
        } | null;
        TimelineEntry: {
            /** @description Identifies the entry in this service. */
            entryId: string;
            /**
             * @description Which of the fields below has the details.
             * @enum {string}
             */
            kind: "reminder" | "document" | "note" | "change";
            /** @description UTC, with `Z`. */
            at: string;
            /** @description Such as `case.write`, as in the audit log. */
            action: string;
            actor: components["schemas"]["TimelineActor"];
            record: components["schemas"]["TimelineRecord"];
            step: components["schemas"]["TimelineStep"];
            /** @description The fields that were changed. Null unless `kind` is `change`. */
            changes: components["schemas"]["TimelineChange"][] | null;
            note: components["schemas"]["TimelineNote"];
            document: components["schemas"]["TimelineDocument"];
            reminder: components["schemas"]["TimelineReminder"];
        };
        /** @description Null unless `kind` is `note`. */
        TimelineNote: {
            noteId: string;
            /** @description As it is now. Null for a caller without `cases:read`. */
            content: string | null;
            /** @enum {string} */
            visibility: "team" | "everyone";
            version: number;
            updatedAt: string;
        } | null;
        TimelinePage: {
            records: components["schemas"]["TimelineEntry"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
            /** @description Number of matching records on all pages. 10001 means more than 10000. */
            total: number;
        };
        TimelineRecord: {
            /** @enum {string} */
            type: "applicant" | "case" | "document";
            id: string;
            /** @description Of a document, as it is now, or its type. Null for other records, and for a caller without `documents:read`. */
            name: string | null;
        };
        /** @description Null unless `kind` is `reminder`. */
        TimelineReminder: {
            /** @description YYYY-MM-DD. Null for a caller without `documents:read`. */
            expiryDate: string | null;
            /** @description Step of the reminder schedule. */
            rung: string;
            /** @enum {string} */
            state: "pending" | "sent" | "recorded" | "failed";
        } | null;
        /** @description The step that was changed. Null unless `action` is `case.step_write`. */
        TimelineStep: {
            stepId: string;
            /** @description As it is now. Null for a caller without `cases:read`. */
            name: string | null;
        } | null;
        TokenRequest: {
            /** @description Always `client_credentials`. */
            grant_type: string;
            /** @description Scopes, separated by spaces. */
            scope?: string;
            /** @description If it is not sent by HTTP Basic. */
            client_id?: string;
            /** @description If it is not sent by HTTP Basic. */
            client_secret?: string;
        };
        TokenResponse: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Lifetime in seconds. */
            expires_in: number;
            scope: string;
        };
        TotpConfirmation: {
            /** @description Of the authenticator app. Accepts a code of six digits. */
            code: string;
        };
        TotpEnrolment: {
            secret: string;
            uri: string;
        };
        TotpRemoval: {
            /** @description Of the authenticator app. Accepts a code of six digits. */
            code?: string;
            /** @description Works once. */
            recoveryCode?: string;
        };
        UndoMerge: {
            /** @description For the audit. */
            reason?: string | null;
        };
        UndoneMerge: {
            mergeId: string;
            /** @description Id of the record that remained. */
            applicantId: string;
            absorbedApplicantId: string;
            /** @description The number that remained. */
            employeeNumber: string | null;
            retiredEmployeeNumber: string | null;
            /** @description Dependents that both had: the one that remains, and the one that it absorbed. */
            mergedDependents: components["schemas"]["MergedDependent"][];
            /** @description Name of the person, or id of the client. */
            mergedBy: string;
            /** @description UTC, with `Z`. */
            mergedAt: string;
            undoneBy: string | null;
            undoneAt: string | null;
            applicant: components["schemas"]["Applicant"];
            restored: components["schemas"]["Applicant"];
            moved: components["schemas"]["MovedRecords"];
        };
        UndoneMergeIdentifiers: {
            /** @description Encoded id. */
            mergeId: string;
            /** @description Encoded id. */
            absorbedApplicantId: string;
            applicant: components["schemas"]["ApplicantIdentifiers"];
            restored: components["schemas"]["ApplicantIdentifiers"];
            moved: components["schemas"]["MovedRecordIdentifiers"];
        };
        /** @description The record, or only its identifiers for a caller without the scope `applicants:read`. */
        UndoneMergeOrIdentifiers: components["schemas"]["UndoneMerge"] | components["schemas"]["UndoneMergeIdentifiers"];
        User: {
            userId: string;
            email: string;
            name: string;
            /** @description Empty where the external issuer gives the person no role any more. */
            roles: ("viewer" | "case-manager" | "auditor" | "admin")[];
            /** @description Ids of the companies whose records the person can see; null is all of them. */
            companies: string[] | null;
            /** @description A user who is not active cannot sign in and has no session. */
            active: boolean;
            /** @description When the person signed in for the first time; null while the invitation is open. */
            joinedAt: string | null;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description UTC, with `Z`.
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
        };
        UserPatch: {
            /** @description For people: shown in the audit and beside notes. Accepts text with at least one visible character. */
            name?: string;
            /** @description Sets of scopes: `viewer` reads, `case-manager` also writes, `auditor` also reads the audit, `admin` may do everything. */
            roles?: ("viewer" | "case-manager" | "auditor" | "admin")[];
            /** @description Ids of the companies whose records the person can see; null is all of them. */
            companies?: string[] | null;
            /** @description A user who is not active cannot sign in and has no session. */
            active?: boolean;
        };
        ViewPatch: {
            /** @description Unique for its owner and screen, without regard to case. Accepts text with at least one visible character. */
            name?: string;
            /**
             * @description The filters and `sort`, named and written as the query parameters of the list. For `cases` also `show`: `table` or `board`.
             * @example {
             *       "assignee": "me",
             *       "due": "overdue",
             *       "sort": "dueDate"
             *     }
             */
            query?: {
                [key: string]: string;
            };
            /** @description Whether the team sees the view: all users whose companies include those of its owner. */
            shared?: boolean;
        };
        Webhook: {
            webhookId: string;
            /** @description Client that it belongs to; null if it belongs to the operator. */
            clientId: string | null;
            /**
             * @description http or https, without user name and password. Private addresses are rejected.
             * @example https://hr.example.com/hooks/caseport
             */
            url: string;
            /** @description For people: its purpose. */
            description: string;
            /** @description Types that it subscribes to; an empty list means all. */
            eventTypes: ("applicant.created" | "applicant.updated" | "applicant.number_changed" | "applicant.merged" | "applicant.unmerged" | "dependent.created" | "dependent.updated" | "dependent.number_changed" | "dependent.archived" | "dependent.restored" | "dependent.merged" | "dependent.unmerged" | "case.created" | "case.updated" | "case.status_changed" | "case.step_changed" | "case.note_added" | "case.note_changed" | "case.checklist_changed" | "document.created" | "document.updated" | "document.removed" | "document.renewal_due" | "passport.renewal_due")[];
            /** @description An inactive webhook receives nothing, and events of that time are not stored for it. */
            active: boolean;
            /** @description Companies whose events it receives: those of its creator, without those that its client has lost; null is all. */
            companies: string[] | null;
            /** @description Why the service made it inactive; null if it did not. */
            disabledReason: string | null;
            createdAt: string;
            updatedAt: string;
        };
        WebhookDelivery: {
            deliveryId: string;
            /** @description Value of the `webhook-id` header of every attempt. */
            eventId: string;
            eventType: string;
            /** @description Deliveries about one record are sent in order. */
            recordId: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            attempts: number;
            /** @description UTC, with `Z`; null after the last attempt. */
            nextAttemptAt: string | null;
            /** @description Status of the last response; null if there was none. */
            lastStatus: number | null;
            /** @description Why the last attempt failed. */
            lastError: string | null;
            createdAt: string;
            updatedAt: string;
        };
        WebhookDeliveryPage: {
            records: components["schemas"]["WebhookDelivery"][];
            /** @description Null if there is no such page. */
            nextCursor: string | null;
            /** @description Null if there is no such page. */
            prevCursor: string | null;
        };
        WebhookPatch: {
            /**
             * @description http or https, without user name and password. Private addresses are rejected.
             * @example https://hr.example.com/hooks/caseport
             */
            url?: string;
            /** @description For people: its purpose. */
            description?: string;
            /** @description Types that it subscribes to; an empty list means all. */
            eventTypes?: ("applicant.created" | "applicant.updated" | "applicant.number_changed" | "applicant.merged" | "applicant.unmerged" | "dependent.created" | "dependent.updated" | "dependent.number_changed" | "dependent.archived" | "dependent.restored" | "dependent.merged" | "dependent.unmerged" | "case.created" | "case.updated" | "case.status_changed" | "case.step_changed" | "case.note_added" | "case.note_changed" | "case.checklist_changed" | "document.created" | "document.updated" | "document.removed" | "document.renewal_due" | "passport.renewal_due")[];
            /** @description An inactive webhook receives nothing, and events of that time are not stored for it. */
            active?: boolean;
        };
        WebhookReplay: {
            /**
             * Format: day
             * @description First day of the range, UTC. Accepts a real calendar day such as 2026-03-01.
             */
            startDate: string;
            /**
             * Format: day
             * @description Last day of the range, UTC. Accepts a real calendar day such as 2026-03-01.
             */
            endDate: string;
        };
        /** @description Accepted; the events are sent in the background. */
        WebhookReplayed: {
            /** @description Number of events that will be sent. */
            deliveries: number;
        };
        WebhookSecretRotation: {
            /**
             * @description Seconds for which the old secret signs too.
             * @default 86400
             */
            graceSeconds?: number;
        };
        WebhookTest: {
            /** @description Whether the receiver returned 2xx. */
            delivered: boolean;
            /** @description Status of the response; null if there was none. */
            status: number | null;
            /** @description Why there was no response, or why it does not count. */
            error: string | null;
            /** @description How long the request took. */
            milliseconds: number;
        };
        WebhookTestEvent: {
            /** @constant */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description Time of the event, UTC.
             */
            timestamp: string;
            data: {
                webhookId: string;
            };
        };
        WebhookWithSecret: {
            webhookId: string;
            /** @description Client that it belongs to; null if it belongs to the operator. */
            clientId: string | null;
            /**
             * @description http or https, without user name and password. Private addresses are rejected.
             * @example https://hr.example.com/hooks/caseport
             */
            url: string;
            /** @description For people: its purpose. */
            description: string;
            /** @description Types that it subscribes to; an empty list means all. */
            eventTypes: ("applicant.created" | "applicant.updated" | "applicant.number_changed" | "applicant.merged" | "applicant.unmerged" | "dependent.created" | "dependent.updated" | "dependent.number_changed" | "dependent.archived" | "dependent.restored" | "dependent.merged" | "dependent.unmerged" | "case.created" | "case.updated" | "case.status_changed" | "case.step_changed" | "case.note_added" | "case.note_changed" | "case.checklist_changed" | "document.created" | "document.updated" | "document.removed" | "document.renewal_due" | "passport.renewal_due")[];
            /** @description An inactive webhook receives nothing, and events of that time are not stored for it. */
            active: boolean;
            /** @description Companies whose events it receives: those of its creator, without those that its client has lost; null is all. */
            companies: string[] | null;
            /** @description Why the service made it inactive; null if it did not. */
            disabledReason: string | null;
            createdAt: string;
            updatedAt: string;
            /** @description Key of the signatures. Only in this response. */
            secret: string;
        };
    };
    responses: {
        /** @description `api-key-not-found` */
        ApiKeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "api-key-not-found";
                };
            };
        };
        /** @description Success. */
        ApplicantListResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Applicant"][];
            };
        };
        /** @description `applicant-not-found` */
        ApplicantNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "applicant-not-found";
                };
            };
        };
        /** @description `applicant-not-found`, `dependent-not-found` */
        ApplicantNotFoundOrDependentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "applicant-not-found" | "dependent-not-found";
                };
            };
        };
        /** @description A primary applicant or a dependent. Every field is present: null if it is empty, [] for an empty list. */
        ApplicantOrIdentifiersWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApplicantOrIdentifiers"];
            };
        };
        /** @description A primary applicant or a dependent. Every field is present: null if it is empty, [] for an empty list. */
        ApplicantWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Applicant"];
            };
        };
        /** @description `archived-applicant-not-found` */
        ArchivedApplicantNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "archived-applicant-not-found";
                };
            };
        };
        /** @description `block-not-found` */
        BlockNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "block-not-found";
                };
            };
        };
        /** @description `calendar-not-found` */
        CalendarNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "calendar-not-found";
                };
            };
        };
        /** @description Success. */
        CaseListResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Case"][];
            };
        };
        /** @description `case-not-found` */
        CaseNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "case-not-found";
                };
            };
        };
        /** @description `case-not-found`, `note-not-found` */
        CaseNotFoundOrNoteNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "case-not-found" | "note-not-found";
                };
            };
        };
        /** @description `case-not-found`, `step-not-found` */
        CaseNotFoundOrStepNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "case-not-found" | "step-not-found";
                };
            };
        };
        /** @description `client-not-found` */
        ClientNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "client-not-found";
                };
            };
        };
        /** @description Success. */
        ClientResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Client"];
            };
        };
        /** @description `company-name-in-use`, `company-code-in-use` */
        CompanyNameInUseOrCompanyCodeInUse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "company-name-in-use" | "company-code-in-use";
                };
            };
        };
        /** @description `company-not-found` */
        CompanyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "company-not-found";
                };
            };
        };
        /** @description Success. */
        CompanyWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Company"];
            };
        };
        /** @description `cross-origin` */
        CrossOrigin: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope` */
        CrossOriginOrInsufficientScope: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope`, `all-companies-required` */
        CrossOriginOrInsufficientScopeOrAllCompaniesRequired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope" | "all-companies-required";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope`, `cannot-grant` */
        CrossOriginOrInsufficientScopeOrCannotGrant: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope" | "cannot-grant";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope`, `cannot-grant`, `all-companies-required` */
        CrossOriginOrInsufficientScopeOrCannotGrantOrAllCompaniesRequired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope" | "cannot-grant" | "all-companies-required";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope`, `quota-exceeded` */
        CrossOriginOrInsufficientScopeOrQuotaExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope" | "quota-exceeded";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope`, `sharing-not-allowed` */
        CrossOriginOrInsufficientScopeOrSharingNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope" | "sharing-not-allowed";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope`, `view-of-another-caller` */
        CrossOriginOrInsufficientScopeOrViewOfAnotherCaller: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope" | "view-of-another-caller";
                };
            };
        };
        /** @description `cross-origin`, `insufficient-scope`, `view-of-another-caller`, `sharing-not-allowed` */
        CrossOriginOrInsufficientScopeOrViewOfAnotherCallerOrSharingNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "cross-origin" | "insufficient-scope" | "view-of-another-caller" | "sharing-not-allowed";
                };
            };
        };
        /** @description Created. */
        CurrentSessionCreated: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CurrentSession"];
            };
        };
        /** @description `database-unavailable`, `issuer-unavailable`, `repository-unavailable`, `too-busy`, `overloaded` */
        DatabaseUnavailableOrIssuerUnavailableOrRepositoryUnavailableOrTooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "database-unavailable" | "issuer-unavailable" | "repository-unavailable" | "too-busy" | "overloaded";
                };
            };
        };
        /** @description `database-unavailable`, `issuer-unavailable`, `scanner-unavailable`, `repository-unavailable`, `upload-expired`, `too-busy`, `overloaded` */
        DatabaseUnavailableOrIssuerUnavailableOrScannerUnavailableOrRepositoryUnavailableOrUploadExpiredOrTooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "database-unavailable" | "issuer-unavailable" | "scanner-unavailable" | "repository-unavailable" | "upload-expired" | "too-busy" | "overloaded";
                };
            };
        };
        /** @description `database-unavailable`, `issuer-unavailable`, `too-busy`, `overloaded` */
        DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "database-unavailable" | "issuer-unavailable" | "too-busy" | "overloaded";
                };
            };
        };
        /** @description `database-unavailable`, `login-issuer-unavailable`, `too-busy`, `overloaded` */
        DatabaseUnavailableOrLoginIssuerUnavailableOrTooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "database-unavailable" | "login-issuer-unavailable" | "too-busy" | "overloaded";
                };
            };
        };
        /** @description `database-unavailable`, `sign-in-busy`, `too-busy`, `overloaded` */
        DatabaseUnavailableOrSignInBusyOrTooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "database-unavailable" | "sign-in-busy" | "too-busy" | "overloaded";
                };
            };
        };
        /** @description `database-unavailable`, `too-busy`, `overloaded` */
        DatabaseUnavailableOrTooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "database-unavailable" | "too-busy" | "overloaded";
                };
            };
        };
        /** @description `delivery-not-found` */
        DeliveryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "delivery-not-found";
                };
            };
        };
        /** @description `dependent-not-found` */
        DependentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "dependent-not-found";
                };
            };
        };
        /** @description `document-moved` */
        DocumentMoved: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "document-moved";
                };
            };
        };
        /** @description `document-not-found` */
        DocumentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "document-not-found";
                };
            };
        };
        /** @description `document-not-found`, `file-not-found` */
        DocumentNotFoundOrFileNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "document-not-found" | "file-not-found";
                };
            };
        };
        /** @description `document-not-found`, `file-version-not-found` */
        DocumentNotFoundOrFileVersionNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "document-not-found" | "file-version-not-found";
                };
            };
        };
        /** @description Created. */
        DocumentOrIdentifiersCreated: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DocumentOrIdentifiers"];
            };
        };
        /** @description Success. */
        DocumentOrIdentifiersWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DocumentOrIdentifiers"];
            };
        };
        /** @description `duplicate-not-found` */
        DuplicateNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "duplicate-not-found";
                };
            };
        };
        /** @description Success. */
        EmployeeNumberChangeResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EmployeeNumberChange"];
            };
        };
        /** @description `employee-number-in-use`, `employee-number-retired`, `employee-number-fixed` */
        EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixed: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "employee-number-in-use" | "employee-number-retired" | "employee-number-fixed";
                };
            };
        };
        /** @description `employee-number-in-use`, `employee-number-retired`, `employee-number-fixed`, `dependent-of-another-applicant` */
        EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixedOrDependentOfAnotherApplicant: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "employee-number-in-use" | "employee-number-retired" | "employee-number-fixed" | "dependent-of-another-applicant";
                };
            };
        };
        /** @description Received. Any other response is retried for three days. */
        EventReceived: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `feed-expired` */
        FeedExpired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "feed-expired";
                };
            };
        };
        /** @description `file-damaged`, `internal-error` */
        FileDamagedOrInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "file-damaged" | "internal-error";
                };
            };
        };
        /** @description `file-infected` */
        FileInfected: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "file-infected";
                };
            };
        };
        /** @description Success. */
        HealthResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Health"];
            };
        };
        /** @description `idempotency-key-in-progress` */
        IdempotencyKeyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `client-id-in-use` */
        IdempotencyKeyInProgressOrClientIdInUse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "client-id-in-use";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `company-name-in-use`, `company-code-in-use` */
        IdempotencyKeyInProgressOrCompanyNameInUseOrCompanyCodeInUse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "company-name-in-use" | "company-code-in-use";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `email-in-use` */
        IdempotencyKeyInProgressOrEmailInUse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "email-in-use";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `employee-number-in-use`, `employee-number-retired` */
        IdempotencyKeyInProgressOrEmployeeNumberInUseOrEmployeeNumberRetired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "employee-number-in-use" | "employee-number-retired";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `external-client` */
        IdempotencyKeyInProgressOrExternalClient: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "external-client";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `import-ended` */
        IdempotencyKeyInProgressOrImportEnded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "import-ended";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `import-interrupted` */
        IdempotencyKeyInProgressOrImportInterrupted: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "import-interrupted";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `import-not-releasable`, `import-not-allowed` */
        IdempotencyKeyInProgressOrImportNotReleasableOrImportNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "import-not-releasable" | "import-not-allowed";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `invalid-transition` */
        IdempotencyKeyInProgressOrInvalidTransition: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "invalid-transition";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `merge-undone`, `changed-since-merge` */
        IdempotencyKeyInProgressOrMergeUndoneOrChangedSinceMerge: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "merge-undone" | "changed-since-merge";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `records-not-mergeable` */
        IdempotencyKeyInProgressOrRecordsNotMergeable: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "records-not-mergeable";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `user-inactive` */
        IdempotencyKeyInProgressOrUserInactive: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "user-inactive";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `user-inactive`, `last-admin` */
        IdempotencyKeyInProgressOrUserInactiveOrLastAdmin: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "user-inactive" | "last-admin";
                };
            };
        };
        /** @description `idempotency-key-in-progress`, `view-name-in-use`, `too-many-views` */
        IdempotencyKeyInProgressOrViewNameInUseOrTooManyViews: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-in-progress" | "view-name-in-use" | "too-many-views";
                };
            };
        };
        /** @description `idempotency-key-reused` */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-reused";
                };
            };
        };
        /** @description `idempotency-key-reused`, `file-infected` */
        IdempotencyKeyReusedOrFileInfected: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-reused" | "file-infected";
                };
            };
        };
        /** @description `idempotency-key-reused`, `identity-mismatch` */
        IdempotencyKeyReusedOrIdentityMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-reused" | "identity-mismatch";
                };
            };
        };
        /** @description `idempotency-key-reused`, `person-required` */
        IdempotencyKeyReusedOrPersonRequired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-reused" | "person-required";
                };
            };
        };
        /** @description `idempotency-key-reused`, `unknown-company` */
        IdempotencyKeyReusedOrUnknownCompany: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-reused" | "unknown-company";
                };
            };
        };
        /** @description `idempotency-key-reused`, `unknown-reference` */
        IdempotencyKeyReusedOrUnknownReference: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-reused" | "unknown-reference";
                };
            };
        };
        /** @description `idempotency-key-reused`, `unknown-reference`, `unknown-company` */
        IdempotencyKeyReusedOrUnknownReferenceOrUnknownCompany: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "idempotency-key-reused" | "unknown-reference" | "unknown-company";
                };
            };
        };
        /** @description `import-not-found` */
        ImportNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "import-not-found";
                };
            };
        };
        /** @description Success. */
        ImportResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Import"];
            };
        };
        /** @description `insufficient-scope` */
        InsufficientScope: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "insufficient-scope";
                };
            };
        };
        /** @description `internal-error` */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "internal-error";
                };
            };
        };
        /** @description `invalid-request` */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "invalid-request";
                };
            };
        };
        /** @description `invalid-request`, `invalid-cursor` */
        InvalidRequestOrInvalidCursor: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "invalid-request" | "invalid-cursor";
                };
            };
        };
        /** @description `invalid-transition` */
        InvalidTransition: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "invalid-transition";
                };
            };
        };
        /** @description `invitation-invalid` */
        InvitationInvalid: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "invitation-invalid";
                };
            };
        };
        /** @description Success. */
        InvitedUserResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvitedUser"];
            };
        };
        /** @description `last-admin` */
        LastAdmin: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "last-admin";
                };
            };
        };
        /** @description `merge-not-found` */
        MergeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "merge-not-found";
                };
            };
        };
        /** @description Success, without content. */
        NoContent: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The record still has the ETag of If-None-Match. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `not-ready`, `too-busy`, `overloaded` */
        NotReadyOrTooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "not-ready" | "too-busy" | "overloaded";
                };
            };
        };
        /** @description `passkey-not-found` */
        PasskeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "passkey-not-found";
                };
            };
        };
        /** @description Success. */
        PasskeyOptionsResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PasskeyOptions"];
            };
        };
        /** @description `passkey-rejected`, `sign-in-expired`, `sign-in-again` */
        PasskeyRejectedOrSignInExpiredOrSignInAgain: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "passkey-rejected" | "sign-in-expired" | "sign-in-again";
                };
            };
        };
        /** @description `payload-too-large` */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "payload-too-large";
                };
            };
        };
        /** @description `payload-too-large`, `file-too-large-to-scan` */
        PayloadTooLargeOrFileTooLargeToScan: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "payload-too-large" | "file-too-large-to-scan";
                };
            };
        };
        /** @description `person-required` */
        PersonRequired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "person-required";
                };
            };
        };
        /** @description Success. */
        ProcessChecklistResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ProcessChecklist"];
            };
        };
        /** @description `process-not-found` */
        ProcessNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "process-not-found";
                };
            };
        };
        /** @description `range-not-satisfiable` */
        RangeNotSatisfiable: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "range-not-satisfiable";
                };
            };
        };
        /** @description `request-timeout` */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "request-timeout";
                };
            };
        };
        /** @description Created. */
        SavedApplicantOrIdentifiersWithETagCreated: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SavedApplicantOrIdentifiers"];
            };
        };
        /** @description Success. */
        SavedApplicantOrIdentifiersWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SavedApplicantOrIdentifiers"];
            };
        };
        /** @description Success. */
        SavedViewWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SavedView"];
            };
        };
        /** @description `session-not-found` */
        SessionNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "session-not-found";
                };
            };
        };
        /** @description `session-required` */
        SessionRequired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "session-required";
                };
            };
        };
        /** @description `sign-in-again` */
        SignInAgain: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "sign-in-again";
                };
            };
        };
        /** @description `sign-in-expired`, `sign-in-method-off` */
        SignInExpiredOrSignInMethodOff: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "sign-in-expired" | "sign-in-method-off";
                };
            };
        };
        /** @description `sign-in-failed` */
        SignInFailed: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "sign-in-failed";
                };
            };
        };
        /** @description `sign-in-method-off` */
        SignInMethodOff: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "sign-in-method-off";
                };
            };
        };
        /** @description Success. */
        SignInStepResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SignInStep"];
            };
        };
        /** @description `storage-full` */
        StorageFull: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "storage-full";
                };
            };
        };
        /** @description Success. */
        TimelinePageResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TimelinePage"];
            };
        };
        /** @description `token-required`, `invalid-token`, `api-key-required` */
        TokenRequiredOrInvalidTokenOrApiKeyRequired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "token-required" | "invalid-token" | "api-key-required";
                };
            };
        };
        /** @description `token-required`, `invalid-token`, `session-required` */
        TokenRequiredOrInvalidTokenOrSessionRequired: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "token-required" | "invalid-token" | "session-required";
                };
            };
        };
        /** @description `too-busy`, `overloaded` */
        TooBusyOrOverloaded: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "too-busy" | "overloaded";
                };
            };
        };
        /** @description `too-many-requests` */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "too-many-requests";
                };
            };
        };
        /** @description `totp-enrolled`, `sign-in-again` */
        TotpEnrolledOrSignInAgain: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "totp-enrolled" | "sign-in-again";
                };
            };
        };
        /** @description `unknown-company` */
        UnknownCompany: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unknown-company";
                };
            };
        };
        /** @description `unknown-company`, `unknown-reference` */
        UnknownCompanyOrUnknownReference: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unknown-company" | "unknown-reference";
                };
            };
        };
        /** @description `unknown-reference` */
        UnknownReference: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unknown-reference";
                };
            };
        };
        /** @description `unknown-reference`, `unknown-company` */
        UnknownReferenceOrUnknownCompany: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unknown-reference" | "unknown-company";
                };
            };
        };
        /** @description `unsupported-media-type` */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unsupported-media-type";
                };
            };
        };
        /** @description `unsupported-media-type`, `file-kind-refused` */
        UnsupportedMediaTypeOrFileKindRefused: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "unsupported-media-type" | "file-kind-refused";
                };
            };
        };
        /** @description `user-not-found` */
        UserNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "user-not-found";
                };
            };
        };
        /** @description Success. */
        UserWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["User"];
            };
        };
        /** @description `version-mismatch` */
        VersionMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "version-mismatch";
                };
            };
        };
        /** @description `view-name-in-use` */
        ViewNameInUse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "view-name-in-use";
                };
            };
        };
        /** @description `view-not-found` */
        ViewNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "view-not-found";
                };
            };
        };
        /** @description The receiver wants no more events: the webhook becomes inactive. */
        WebhookGone: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `webhook-not-found` */
        WebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "webhook-not-found";
                };
            };
        };
        /** @description Success. */
        WebhookWithETagResponse: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Webhook"];
            };
        };
        /** @description `wrong-code`, `totp-enrolled`, `totp-not-enrolled` */
        WrongCodeOrTotpEnrolledOrTotpNotEnrolled: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "wrong-code" | "totp-enrolled" | "totp-not-enrolled";
                };
            };
        };
        /** @description `wrong-code`, `totp-not-enrolled`, `sign-in-again` */
        WrongCodeOrTotpNotEnrolledOrSignInAgain: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "wrong-code" | "totp-not-enrolled" | "sign-in-again";
                };
            };
        };
        /** @description `wrong-password`, `sign-in-method-off`, `sign-in-again` */
        WrongPasswordOrSignInMethodOffOrSignInAgain: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code?: "wrong-password" | "sign-in-method-off" | "sign-in-again";
                };
            };
        };
    };
    parameters: {
        /** @description Encoded id of the primary applicant. */
        ApplicantId: string;
        /** @description Encoded id of the case. */
        CaseId: string;
        /** @description Id of the client. */
        ClientId: string;
        /** @description Id of the company. */
        CompanyId: string;
        /** @description Only documents whose file is in the repository of this country. */
        CountryCode: "US" | "EDU" | "UK" | "FR" | "DE" | "IR" | "ES" | "CH";
        /** @description Encoded id of the dependent, or its employee number. */
        DependentId: string;
        /** @description Encoded id of the document. */
        DocumentId: string;
        /** @description Employee number of the primary applicant. */
        EmployeeNumber: string;
        /**
         * @description Last day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
         * @example 2026-03-01
         */
        EndDate: string;
        /**
         * @description Expires on this day or later. Documents without an expiry date are left out. Accepts a real calendar day such as 2026-03-01.
         * @example 2026-03-01
         */
        ExpiresFrom: string;
        /**
         * @description Expires on this day or earlier. Accepts a real calendar day such as 2026-03-01.
         * @example 2026-03-01
         */
        ExpiresTo: string;
        /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
        IdempotencyKey: string;
        /** @description An ETag. The write is rejected (412) if the record has another one. */
        IfMatch: string;
        /** @description An ETag. The response is 304 without a body if the record still has it. */
        IfNoneMatch: string;
        /** @description `*`: the write is rejected (412) if the record already exists. */
        IfNoneMatchAny: string;
        /** @description The ETag of the part that is there already: if the file has another one, the response is the whole file. */
        IfRange: string;
        /** @description Encoded id of the import. */
        ImportId: string;
        /** @description The `id` of the last server-sent event, as browsers send it when they reconnect. It overrides the cursor of the query. */
        LastEventId: string;
        /** @description Maximum records per page. */
        MaxRecords: number;
        /** @description Name of the process, without regard to case. */
        Name: string;
        /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
        NextCursor: string;
        /** @description Id of the note. */
        NoteId: string;
        /** @description `wait=20` waits up to 20 seconds for the end of the work, at most 60 (RFC 7240). The response has `Preference-Applied`. */
        Prefer: string;
        /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
        PrevCursor: string;
        /** @description One range of bytes, such as `bytes=1048576-`, to resume a download. The response is 206 with `Content-Range`. */
        Range: string;
        /** @description The order, with `-` in front for descending. */
        Sort: "createdAt" | "-createdAt";
        /**
         * @description First day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
         * @example 2026-03-01
         */
        StartDate: string;
        /** @description Id of the step. */
        StepId: string;
        /** @description Id of the user. */
        UserId: string;
        /** @description Id of the view. */
        ViewId: string;
        /** @description Id of the webhook. */
        WebhookId: string;
        /** @description Identifies the event. A retry has the same. */
        WebhookIdHeader: string;
        /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
        WebhookSignatureHeader: string;
        /** @description Time of this attempt, in seconds since 1970. */
        WebhookTimestampHeader: string;
    };
    requestBodies: never;
    headers: {
        /** @description Version of the record, for If-Match and If-None-Match. */
        ETag: string;
        /** @description Paths of the next and previous page, with `rel` next and prev, where they exist (RFC 8288). */
        Link: string;
        /** @description Path of the new record. */
        Location: string;
        /** @description Seconds to wait before a retry. */
        RetryAfter: number;
        /** @description Identifies the request: the one that was sent in X-Request-Id, or a new one. */
        XRequestId: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JwkSet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    getAuthorizationServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationServerMetadata"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    getProtectedResourceMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtectedResourceMetadata"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    searchApplicants: {
        parameters: {
            query?: {
                /** @description Beginning of a name, as in `name`, or a whole employee number, e-mail address or passport number, without regard to case. */
                q?: string;
                /** @description Beginning of "last first middle" or "first middle last", or a first and a whole last name. */
                name?: string;
                /** @description Whole number; case matters. */
                employeeNumber?: string;
                /** @description Whole address or alternate address, without regard to case. */
                email?: string;
                /** @description Whole number, compared like names. */
                passportNumber?: string;
                /** @description Name, code or id of the company that the record belongs to. */
                company?: string;
                /** @description Whole text, without regard to case. Two- and three-letter codes of one country are equal. */
                nationality?: string;
                /** @description Status of the record, such as `A`. Accepts one letter. */
                status?: string;
                /** @description Whether to search archived records instead. */
                archived?: boolean;
                /** @description Whether records also have `nextExpiries`, `openCases` and `dependents`. */
                summary?: boolean;
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicantPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getFoundApplicant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the record. */
                applicantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundApplicant"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    uploadApplicantDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the person: primary applicant or dependent. */
                applicantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["ApplicantDocumentUpload"];
            };
        };
        responses: {
            201: components["responses"]["DocumentOrIdentifiersCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["ApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLargeOrFileTooLargeToScan"];
            415: components["responses"]["UnsupportedMediaTypeOrFileKindRefused"];
            422: components["responses"]["IdempotencyKeyReusedOrFileInfected"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrScannerUnavailableOrRepositoryUnavailableOrUploadExpiredOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    mergeApplicantRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the record that remains. */
                applicantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "pL4s6Dh8Fg0Hj2Kl4Zx6Cv8=",
                 *       "choices": {
                 *         "email": "source",
                 *         "passports": "target"
                 *       },
                 *       "employeeNumber": "target",
                 *       "dryRun": true
                 *     }
                 */
                "application/json": components["schemas"]["MergeRecords"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergeResultOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrRecordsNotMergeable"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrUnknownReferenceOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    restoreApplicant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the archived record. */
                applicantId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "withoutEmployeeNumber": false
                 *     }
                 */
                "application/json": components["schemas"]["Restoration"];
            };
        };
        responses: {
            /** @description A primary applicant or a dependent. Every field is present: null if it is empty, [] for an empty list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicantOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ArchivedApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrEmployeeNumberInUseOrEmployeeNumberRetired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getApplicantTimeline: {
        parameters: {
            query?: {
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path: {
                /** @description Encoded id of the person. */
                applicantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TimelinePageResponse"];
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listAudit: {
        parameters: {
            query: {
                /**
                 * @description First day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                startDate: components["parameters"]["StartDate"];
                /**
                 * @description Last day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                endDate: components["parameters"]["EndDate"];
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description The order, with `-` in front for descending. */
                sort?: "at" | "-at";
                /** @description Only entries of this client. */
                clientId?: string;
                /** @description Only entries of this person. */
                userId?: string;
                /** @description Only entries with this action. */
                action?: string;
                /** @description Only entries about this record, alone or among others. Exports of all records name none of them: look for the actions `applicant.export`, `case.export` and `document.export`. */
                recordId?: string;
                /** @description Only entries with this outcome. */
                outcome?: "ok" | "refused" | "failed";
                /** @description Only entries of callers with this IP address. */
                address?: string;
                /**
                 * @description Only entries from this time on, within the days of the range. Accepts a day such as 2026-03-01, or a time in UTC such as 2026-03-01T09:30:00Z.
                 * @example 2026-03-01T09:30:00Z
                 */
                from?: string;
                /**
                 * @description Only entries before this time, within the days of the range. Accepts a day such as 2026-03-01, or a time in UTC such as 2026-03-01T09:30:00Z.
                 * @example 2026-03-01T09:30:00Z
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    exportAudit: {
        parameters: {
            query: {
                /**
                 * @description Begin of the range, included. Accepts a day such as 2026-03-01, or a time in UTC such as 2026-03-01T09:30:00Z.
                 * @example 2026-03-01T09:30:00Z
                 */
                from: string;
                /**
                 * @description End of the range, excluded. Accepts a day such as 2026-03-01, or a time in UTC such as 2026-03-01T09:30:00Z.
                 * @example 2026-03-01T09:30:00Z
                 */
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One `AuditEntry` a line. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listBlockedCallers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedCaller"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    blockCaller: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "caller": "oidc:login.example.com:anna:desk",
                 *       "reason": "Laptop lost on 3 March."
                 *     }
                 */
                "application/json": components["schemas"]["NewBlockedCaller"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedCaller"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedCaller"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrAllCompaniesRequired"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    unblockCaller: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the block, not of the caller. */
                blockId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrAllCompaniesRequired"];
            404: components["responses"]["BlockNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listCases: {
        parameters: {
            query?: {
                /** @description Beginning of the name of the applicant, in either order, compared as in Browse and search applicants; or a whole employee number, e-mail address, passport number or case id. */
                q?: string;
                /**
                 * @description `open`, `pending` or `closed`, or several of them with commas between them. Accepts open, pending or closed, or several of them with commas between them.
                 * @example open,pending
                 */
                status?: string;
                /** @description Whole case type, without regard to case. */
                caseType?: string;
                /**
                 * @description Two- or three-letter code of the country. Accepts a country code of two or three letters.
                 * @example DE
                 */
                hostCountry?: string;
                /** @description Name, code or id of the host, sending or billing company. */
                company?: string;
                /** @description `me` for the person who is signed in, `none` for cases without an assignee, or the id of a user. */
                assignee?: string;
                /** @description Whether the applicant is a VIP. */
                vip?: boolean;
                /** @description `overdue`: due before today. `7`, `30`: due today or within that many days. */
                due?: "overdue" | "7" | "30";
                /**
                 * @description Last update at this time or later, UTC. Accepts a UTC time such as 2026-03-01T08:00:00Z.
                 * @example 2026-03-01T08:00:00Z
                 */
                updatedSince?: string;
                /** @description The order, with `-` in front for descending. Default: `dueDate`, or `updatedAt` with `updatedSince`. */
                sort?: "dueDate" | "-dueDate" | "updatedAt" | "-updatedAt" | "createdAt" | "-createdAt" | "name" | "-name";
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CasePage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    patchCase: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "pending",
                 *       "dueDate": "2026-09-30",
                 *       "hostCity": "Hamburg"
                 *     }
                 */
                "application/json": components["schemas"]["CasePatch"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["InvalidTransition"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownCompanyOrUnknownReference"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getCaseChecklist: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseChecklist"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    putCaseChecklist: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "name": "Passport copy",
                 *           "type": "passport",
                 *           "required": true,
                 *           "documentId": "ZG9jdW1lbnQgbnVtYmVyIG8=",
                 *           "accepted": true
                 *         },
                 *         {
                 *           "name": "Marriage certificate",
                 *           "required": false
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CaseChecklistInput"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseChecklistOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReference"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    addCaseNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "Passport copy received.",
                 *       "author": "R. Okafor"
                 *     }
                 */
                "application/json": components["schemas"]["NewNote"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseNoteOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    patchCaseNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
                /** @description Id of the note. */
                noteId: components["parameters"]["NoteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "Passport copy received; page 2 is missing."
                 *     }
                 */
                "application/json": components["schemas"]["NotePatch"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseNoteOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CaseNotFoundOrNoteNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getCaseNoteVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
                /** @description Id of the note. */
                noteId: components["parameters"]["NoteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseNoteVersion"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CaseNotFoundOrNoteNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    addCaseStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Medical examination",
                 *       "dueDate": "2026-09-30"
                 *     }
                 */
                "application/json": components["schemas"]["NewStep"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseStepOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrUnknownReference"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    patchCaseStep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
                /** @description Id of the step. */
                stepId: components["parameters"]["StepId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "completed"
                 *     }
                 */
                "application/json": components["schemas"]["StepPatch"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseStepOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CaseNotFoundOrStepNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["InvalidTransition"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReference"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    completeCaseStep: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
                /** @description Id of the step. */
                stepId: components["parameters"]["StepId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["StepCompletionInput"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepCompletionOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CaseNotFoundOrStepNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrInvalidTransition"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getCaseTimeline: {
        parameters: {
            query?: {
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TimelinePageResponse"];
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly HR feed",
                 *       "scopes": [
                 *         "applicants:read",
                 *         "applicants:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewClient"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedClient"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrantOrAllCompaniesRequired"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrClientIdInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the client. */
                clientId: components["parameters"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ClientResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ClientNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    patchClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the client. */
                clientId: components["parameters"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "companies": null
                 *     }
                 */
                "application/json": components["schemas"]["ClientPatch"];
            };
        };
        responses: {
            200: components["responses"]["ClientResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrantOrAllCompaniesRequired"];
            404: components["responses"]["ClientNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the client. */
                clientId: components["parameters"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Renumbering after the merger"
                 *     }
                 */
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["ClientNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the client. */
                clientId: components["parameters"]["ClientId"];
                /** @description Id of the API key, not the key itself. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["ApiKeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    disableClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the client. */
                clientId: components["parameters"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ClientResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrantOrAllCompaniesRequired"];
            404: components["responses"]["ClientNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    enableClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the client. */
                clientId: components["parameters"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ClientResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrantOrAllCompaniesRequired"];
            404: components["responses"]["ClientNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    rotateClientSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the client. */
                clientId: components["parameters"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["ClientNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrExternalClient"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listColleagues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Colleague"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listCompanies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createCompany: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme GmbH",
                 *       "code": "ACME-DE",
                 *       "country": "DE"
                 *     }
                 */
                "application/json": components["schemas"]["NewCompany"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrAllCompaniesRequired"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrCompanyNameInUseOrCompanyCodeInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getCompany: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the company. */
                companyId: components["parameters"]["CompanyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CompanyWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CompanyNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    patchCompany: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Id of the company. */
                companyId: components["parameters"]["CompanyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "active": false
                 *     }
                 */
                "application/json": components["schemas"]["CompanyPatch"];
            };
        };
        responses: {
            200: components["responses"]["CompanyWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrAllCompaniesRequired"];
            404: components["responses"]["CompanyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["CompanyNameInUseOrCompanyCodeInUse"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listAllDocuments: {
        parameters: {
            query?: {
                /** @description Only documents of this person: those of the record and those of its cases. */
                applicantId?: string;
                /** @description Only documents uploaded to this case. */
                caseId?: string;
                /** @description As in the record, today in UTC. */
                status?: "active" | "expiring" | "expired";
                /** @description Whole type, without regard to case. */
                type?: string;
                /** @description Only documents whose file is in the repository of this country. */
                countryCode?: components["parameters"]["CountryCode"];
                /**
                 * @description Expires on this day or later. Documents without an expiry date are left out. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                expiresFrom?: components["parameters"]["ExpiresFrom"];
                /**
                 * @description Expires on this day or earlier. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                expiresTo?: components["parameters"]["ExpiresTo"];
                /** @description Whether the document has a file. */
                hasFile?: boolean;
                /** @description The order, with `-` in front for descending. */
                sort?: "expiryDate" | "-expiryDate" | "updatedAt" | "-updatedAt";
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedDocumentPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getDeskDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeskDocument"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["DocumentNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    removeDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Belongs to another person."
                 *     }
                 */
                "application/json": components["schemas"]["DocumentRemovalRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedDocumentOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["DocumentNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    correctDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Residence permit",
                 *       "expiryDate": "2027-06-30"
                 *     }
                 */
                "application/json": components["schemas"]["DocumentCorrection"];
            };
        };
        responses: {
            200: components["responses"]["DocumentOrIdentifiersWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["DocumentNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    putDocumentFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["DocumentFileUpload"];
            };
        };
        responses: {
            200: components["responses"]["DocumentOrIdentifiersWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["DocumentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["DocumentMoved"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLargeOrFileTooLargeToScan"];
            415: components["responses"]["UnsupportedMediaTypeOrFileKindRefused"];
            422: components["responses"]["FileInfected"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrScannerUnavailableOrRepositoryUnavailableOrUploadExpiredOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listDocumentFileVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentFileVersion"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["DocumentNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    downloadDocumentFileVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description One range of bytes, such as `bytes=1048576-`, to resume a download. The response is 206 with `Content-Range`. */
                Range?: components["parameters"]["Range"];
                /** @description The ETag of the part that is there already: if the file has another one, the response is the whole file. */
                "If-Range"?: components["parameters"]["IfRange"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
                /** @description Number of the version. */
                fileVersion: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Success. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["DocumentNotFoundOrFileVersionNotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["FileDamagedOrInternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrRepositoryUnavailableOrTooBusyOrOverloaded"];
        };
    };
    restoreDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["DocumentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listDuplicates: {
        parameters: {
            query?: {
                /** @description Lowest score to list. */
                minScore?: number;
                /** @description Lists the pairs of this record only. */
                applicantId?: string;
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DuplicatePage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    dismissDuplicate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "applicantIds": [
                 *         "kY0v1Jm8Zr3Qe5Tn7Wb9Xc2=",
                 *         "pL4s6Dh8Fg0Hj2Kl4Zx6Cv8="
                 *       ],
                 *       "reason": "Cousins who share a name."
                 *     }
                 */
                "application/json": components["schemas"]["DismissDuplicate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DuplicateDismissalOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["DuplicateNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listExpiring: {
        parameters: {
            query?: {
                /** @description Only documents, or only passports. */
                kind?: "document" | "passport";
                /** @description `expired`: before today. `7`, `30`, `60`, `90`: today or within that many days. Days are UTC. */
                within?: "expired" | "7" | "30" | "60" | "90";
                /**
                 * @description Expires on this day or later. Documents without an expiry date are left out. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                expiresFrom?: components["parameters"]["ExpiresFrom"];
                /**
                 * @description Expires on this day or earlier. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                expiresTo?: components["parameters"]["ExpiresTo"];
                /** @description Name, code or id of a company that the record or the case belongs to. */
                company?: string;
                /** @description The order, with `-` in front for descending. */
                sort?: "expiryDate" | "-expiryDate";
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpiringPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getMyCalendar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calendar"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CalendarNotFound"];
            422: components["responses"]["PersonRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createMyCalendar: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewCalendar"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrPersonRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteMyCalendar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["CalendarNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["PersonRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listMerges: {
        parameters: {
            query?: {
                /** @description Lists the merges of this record only, as the one that remained or was absorbed. */
                applicantId?: string;
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergePage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    undoMerge: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the merge. */
                mergeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Two people after all."
                 *     }
                 */
                "application/json": components["schemas"]["UndoMerge"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoneMergeOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["MergeNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrMergeUndoneOrChangedSinceMerge"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listNotifications: {
        parameters: {
            query: {
                /**
                 * @description First day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                startDate: components["parameters"]["StartDate"];
                /**
                 * @description Last day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                endDate: components["parameters"]["EndDate"];
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description The order, with `-` in front for descending. */
                sort?: components["parameters"]["Sort"];
                /** @description Only notifications in this state. */
                state?: "pending" | "sent" | "recorded" | "failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listProcesses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    putProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the process, without regard to case. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "caseType": "Work Permit",
                 *       "hostCountry": "DE",
                 *       "steps": [
                 *         "Collect documents",
                 *         "File application",
                 *         "Await decision"
                 *       ],
                 *       "dueDays": [
                 *         14,
                 *         7,
                 *         null
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProcessInput"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrAllCompaniesRequired"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the process, without regard to case. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrAllCompaniesRequired"];
            404: components["responses"]["ProcessNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getProcessChecklist: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the process, without regard to case. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ProcessChecklistResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ProcessNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    putProcessChecklist: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the process, without regard to case. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "name": "Passport copy",
                 *           "type": "passport",
                 *           "required": true
                 *         },
                 *         {
                 *           "name": "Marriage certificate",
                 *           "required": false
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProcessChecklistInput"];
            };
        };
        responses: {
            200: components["responses"]["ProcessChecklistResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrAllCompaniesRequired"];
            404: components["responses"]["ProcessNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    globalSearch: {
        parameters: {
            query: {
                /** @description What to search for. Accepts text with at least one visible character. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "r.okafor@example.com",
                 *       "name": "Ruth Okafor",
                 *       "roles": [
                 *         "case-manager"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrEmailInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the user. */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["UserWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["UserNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    patchUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Id of the user. */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         "viewer"
                 *       ],
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            200: components["responses"]["UserWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["UserNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["LastAdmin"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the user. */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["InvitedUserResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["UserNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrUserInactive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    resetUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the user. */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["InvitedUserResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["UserNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrUserInactiveOrLastAdmin"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                userId: components["parameters"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["UserNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listViews: {
        parameters: {
            query?: {
                /** @description Only views of this list. */
                screen?: "cases" | "applicants" | "documents" | "expiring";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createView: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "screen": "cases",
                 *       "name": "My overdue cases",
                 *       "query": {
                 *         "assignee": "me",
                 *         "due": "overdue"
                 *       },
                 *       "shared": false
                 *     }
                 */
                "application/json": components["schemas"]["NewView"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrSharingNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrViewNameInUseOrTooManyViews"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getView: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the view. */
                viewId: components["parameters"]["ViewId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SavedViewWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ViewNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    deleteView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the view. */
                viewId: components["parameters"]["ViewId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrViewOfAnotherCaller"];
            404: components["responses"]["ViewNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    patchView: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Id of the view. */
                viewId: components["parameters"]["ViewId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Overdue",
                 *       "shared": true
                 *     }
                 */
                "application/json": components["schemas"]["ViewPatch"];
            };
        };
        responses: {
            200: components["responses"]["SavedViewWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrViewOfAnotherCallerOrSharingNotAllowed"];
            404: components["responses"]["ViewNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["ViewNameInUse"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Only webhooks that the service has disabled, or that have a delivery which failed and is tried again; or only the others. */
                failing?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hr.example.com/hooks/caseport",
                 *       "eventTypes": [
                 *         "case.created",
                 *         "case.status_changed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    patchWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "active": false
                 *     }
                 */
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            200: components["responses"]["WebhookWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrCannotGrant"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query: {
                /**
                 * @description First day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                startDate: components["parameters"]["StartDate"];
                /**
                 * @description Last day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                endDate: components["parameters"]["EndDate"];
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description The order, with `-` in front for descending. */
                sort?: components["parameters"]["Sort"];
                /** @description Only deliveries in this state. */
                state?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["WebhookNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
                /** @description Id of the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted; processed in the background. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["DeliveryNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    replayWebhookEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "startDate": "2026-03-01",
                 *       "endDate": "2026-03-02"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookReplay"];
            };
        };
        responses: {
            /** @description Accepted; the events are sent in the background. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplayed"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["WebhookSecretRotation"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["WebhookNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "bWFkZSBhdCByYW5kb20",
                 *       "password": "four words that nobody guesses"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationAcceptance"];
            };
        };
        responses: {
            200: components["responses"]["SignInStepResponse"];
            201: components["responses"]["CurrentSessionCreated"];
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["InvitationInvalid"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrSignInBusyOrTooBusyOrOverloaded"];
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    finishExternalSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the console, or to the sign-in page. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            409: components["responses"]["SignInMethodOff"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrLoginIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    startExternalSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the issuer. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            409: components["responses"]["SignInMethodOff"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrLoginIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getPasskeySignInOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PasskeyOptionsResponse"];
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "challenge": "q0m3…",
                 *       "name": "Laptop",
                 *       "response": {
                 *         "id": "…",
                 *         "type": "public-key"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["PasskeyRejectedOrSignInExpiredOrSignInAgain"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    deletePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the passkey. */
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            404: components["responses"]["PasskeyNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["SignInAgain"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getPasskeyRegistrationOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PasskeyOptionsResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["SignInAgain"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currentPassword": "four words that nobody guesses",
                 *       "newPassword": "five other words, chosen at random"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["WrongPasswordOrSignInMethodOffOrSignInAgain"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrSignInBusyOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "r.okafor@example.com",
                 *       "password": "four words that nobody guesses"
                 *     }
                 */
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            200: components["responses"]["SignInStepResponse"];
            201: components["responses"]["CurrentSessionCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SignInFailed"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["SignInExpiredOrSignInMethodOff"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrSignInBusyOrTooBusyOrOverloaded"];
        };
    };
    endCurrentSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            404: components["responses"]["SessionNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    enrolTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpEnrolment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["TotpEnrolledOrSignInAgain"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["TotpConfirmation"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["WrongCodeOrTotpEnrolledOrTotpNotEnrolled"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["TotpRemoval"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["SessionRequired"];
            403: components["responses"]["CrossOrigin"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["WrongCodeOrTotpNotEnrolledOrSignInAgain"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    readCalendar: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Secret of the address. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CalendarNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HealthResponse"];
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "scope": "applicants:read"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            /** @description `invalid_request`, `unsupported_grant_type`, `invalid_scope` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `invalid_client` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `invalid_request`: the request did not arrive in time. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `invalid_request`: the form is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `invalid_request`: the form must be in UTF-8 and not compressed. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `too_many_requests`: wait for the seconds in Retry-After. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description `temporarily_unavailable`: wait for the seconds in Retry-After. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HealthResponse"];
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["NotReadyOrTooBusyOrOverloaded"];
        };
    };
    getSignInPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooBusyOrOverloaded"];
        };
    };
    saveApplicant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "primaryApplicant": {
                 *         "employeeNumber": "E-10042",
                 *         "status": "A",
                 *         "email": "anna.schmidt@example.com",
                 *         "firstName": "Anna",
                 *         "lastName": "Schmidt",
                 *         "gender": "F",
                 *         "dateOfBirth": "1990-05-31T00:00:00",
                 *         "countryOfBirth": "DE",
                 *         "addressCountry": "DE",
                 *         "relationship": "",
                 *         "metaData": [
                 *           {
                 *             "tagName": "costCenter",
                 *             "value": "4711"
                 *           }
                 *         ],
                 *         "passports": [
                 *           {
                 *             "passportNumber": "C01X00T47",
                 *             "issueDate": "2021-03-01T00:00:00",
                 *             "expiryDate": "2031-02-28T00:00:00",
                 *             "nationality": "DE",
                 *             "country": "DE",
                 *             "issuedBy": "DE"
                 *           }
                 *         ],
                 *         "documents": [
                 *           {
                 *             "name": "Residence permit",
                 *             "expiryDate": "2027-06-30T00:00:00",
                 *             "country": "US",
                 *             "remindAboutRenewal": true,
                 *             "expiryReminder": 0
                 *           }
                 *         ],
                 *         "previousNames": [
                 *           {
                 *             "lastName": "Meyer",
                 *             "firstName": "Anna",
                 *             "middleName": ""
                 *           }
                 *         ]
                 *       },
                 *       "dependents": [
                 *         {
                 *           "firstName": "Ben",
                 *           "lastName": "Schmidt",
                 *           "relationship": "Child",
                 *           "dateOfBirth": "2018-09-12"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SaveApplicant"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedApplicantOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrEmployeeNumberInUseOrEmployeeNumberRetired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getApplicant: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Encoded id of the primary applicant. */
                applicantId: components["parameters"]["ApplicantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApplicantWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    updateApplicant: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the primary applicant. Accepts 4 to 128 characters of A-Z, a-z, 0-9, - and _, with up to two = at the end, but not "health" or "employeenumber". */
                applicantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "primaryApplicant": {
                 *         "firstName": "Anna",
                 *         "lastName": "Schmidt",
                 *         "dateOfBirth": "1990-05-31",
                 *         "jobTitle": "Researcher",
                 *         "passports": [
                 *           {
                 *             "passportNumber": "C01X00T47",
                 *             "country": "DE",
                 *             "expiryDate": "2031-02-28"
                 *           }
                 *         ]
                 *       },
                 *       "dependents": [
                 *         {
                 *           "firstName": "Ben",
                 *           "lastName": "Schmidt",
                 *           "relationship": "Child",
                 *           "dateOfBirth": "2018-09-12"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SaveApplicant"];
            };
        };
        responses: {
            200: components["responses"]["SavedApplicantOrIdentifiersWithETagResponse"];
            201: components["responses"]["SavedApplicantOrIdentifiersWithETagCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixedOrDependentOfAnotherApplicant"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReferenceOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    mergeApplicant: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the primary applicant. */
                applicantId: components["parameters"]["ApplicantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "primaryApplicant": {
                 *         "jobTitle": "Head of Research",
                 *         "metaData": [
                 *           {
                 *             "tagName": "costCenter",
                 *             "value": "4712"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MergeApplicant"];
            };
        };
        responses: {
            200: components["responses"]["SavedApplicantOrIdentifiersWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixedOrDependentOfAnotherApplicant"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReferenceOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    saveDependent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the primary applicant. */
                applicantId: components["parameters"]["ApplicantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "firstName": "Ben",
                 *       "lastName": "Schmidt",
                 *       "relationship": "Child",
                 *       "dateOfBirth": "2018-09-12"
                 *     }
                 */
                "application/json": components["schemas"]["DependentInput"];
            };
        };
        responses: {
            /** @description A primary applicant or a dependent. Every field is present: null if it is empty, [] for an empty list. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicantOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrEmployeeNumberInUseOrEmployeeNumberRetired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getDependent: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Encoded id of the primary applicant. */
                applicantId: components["parameters"]["ApplicantId"];
                /** @description Encoded id of the dependent. */
                dependentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApplicantWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["DependentNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getDependents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the primary applicant. */
                applicantId: components["parameters"]["ApplicantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApplicantListResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getApplicantByEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Employee number of the primary applicant. */
                employeeNumber: components["parameters"]["EmployeeNumber"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApplicantWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    saveApplicantByEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Employee number of the primary applicant. Accepts 1 to 64 printable characters, with no space at either end. */
                employeeNumber: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "primaryApplicant": {
                 *         "firstName": "Anna",
                 *         "lastName": "Schmidt",
                 *         "dateOfBirth": "1990-05-31",
                 *         "jobTitle": "Researcher",
                 *         "passports": [
                 *           {
                 *             "passportNumber": "C01X00T47",
                 *             "country": "DE",
                 *             "expiryDate": "2031-02-28"
                 *           }
                 *         ]
                 *       },
                 *       "dependents": [
                 *         {
                 *           "firstName": "Ben",
                 *           "lastName": "Schmidt",
                 *           "relationship": "Child",
                 *           "dateOfBirth": "2018-09-12"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SaveApplicant"];
            };
        };
        responses: {
            200: components["responses"]["SavedApplicantOrIdentifiersWithETagResponse"];
            201: components["responses"]["SavedApplicantOrIdentifiersWithETagCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixedOrDependentOfAnotherApplicant"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReferenceOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    mergeApplicantByEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Employee number of the primary applicant. */
                employeeNumber: components["parameters"]["EmployeeNumber"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "primaryApplicant": {
                 *         "jobTitle": "Head of Research",
                 *         "metaData": [
                 *           {
                 *             "tagName": "costCenter",
                 *             "value": "4712"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MergeApplicant"];
            };
        };
        responses: {
            200: components["responses"]["SavedApplicantOrIdentifiersWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixedOrDependentOfAnotherApplicant"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReferenceOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getDependentsByEmployeeNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Employee number of the primary applicant. */
                employeeNumber: components["parameters"]["EmployeeNumber"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApplicantListResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getDependentByEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Employee number of the primary applicant. */
                employeeNumber: components["parameters"]["EmployeeNumber"];
                /** @description Encoded id of the dependent, or its employee number. */
                dependentId: components["parameters"]["DependentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApplicantWithETagResponse"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["DependentNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    saveDependentByEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Employee number of the primary applicant. */
                employeeNumber: components["parameters"]["EmployeeNumber"];
                /** @description Encoded id of the dependent, or its employee number. */
                dependentId: components["parameters"]["DependentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "firstName": "Ben",
                 *       "lastName": "Schmidt",
                 *       "relationship": "Child",
                 *       "dateOfBirth": "2018-09-12"
                 *     }
                 */
                "application/json": components["schemas"]["DependentInput"];
            };
        };
        responses: {
            200: components["responses"]["ApplicantOrIdentifiersWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ApplicantNotFoundOrDependentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixed"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReference"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeDependentEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Employee number of the primary applicant. */
                employeeNumber: components["parameters"]["EmployeeNumber"];
                /** @description Encoded id of the dependent, or its employee number. */
                dependentId: components["parameters"]["DependentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "firstName": "Ben",
                 *       "dateOfBirth": "2018-09-12"
                 *     }
                 */
                "application/json": components["schemas"]["DependentIdentityCheck"];
            };
        };
        responses: {
            200: components["responses"]["EmployeeNumberChangeResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["DependentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrEmployeeNumberInUseOrEmployeeNumberRetired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrIdentityMismatch"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    mergeDependentByEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Employee number of the primary applicant. */
                employeeNumber: components["parameters"]["EmployeeNumber"];
                /** @description Encoded id of the dependent, or its employee number. */
                dependentId: components["parameters"]["DependentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jobTitle": "Student"
                 *     }
                 */
                "application/json": components["schemas"]["ApplicantPatch"];
            };
        };
        responses: {
            200: components["responses"]["ApplicantOrIdentifiersWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ApplicantNotFoundOrDependentNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EmployeeNumberInUseOrEmployeeNumberRetiredOrEmployeeNumberFixed"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnknownReference"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeEmployeeNumber: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Current employee number of the primary applicant. */
                oldEmployeeNumber: string;
                /** @description Number that it gets instead. Accepts 1 to 64 printable characters, with no space at either end. */
                newEmployeeNumber: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "firstName": "Anna",
                 *       "lastName": "Schmidt",
                 *       "dateOfBirth": "1990-05-31"
                 *     }
                 */
                "application/json": components["schemas"]["IdentityCheck"];
            };
        };
        responses: {
            200: components["responses"]["EmployeeNumberChangeResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrApiKeyRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrEmployeeNumberInUseOrEmployeeNumberRetired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrIdentityMismatch"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getApplicantHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HealthResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createCase: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "caseType": "Work Permit",
                 *       "hostCompany": "Acme GmbH",
                 *       "sendingCompany": "Acme Inc.",
                 *       "billingCompany": "Acme Inc.",
                 *       "hostCountry": "DE",
                 *       "hostCity": "Berlin",
                 *       "homeCountry": "US",
                 *       "processName": "",
                 *       "salary": "",
                 *       "applicant": {
                 *         "employeeNumber": "E-10042",
                 *         "firstName": "Anna",
                 *         "lastName": "Schmidt",
                 *         "dateOfBirth": "1990-05-31",
                 *         "Vip": false,
                 *         "emailAddress": "anna.schmidt@example.com",
                 *         "passports": [
                 *           {
                 *             "country": "US",
                 *             "passportNumber": "X1234567",
                 *             "expirationDate": "2031-02-28",
                 *             "issueDate": "2021-03-01",
                 *             "issuingAuthority": "US",
                 *             "Nationality": "US"
                 *           }
                 *         ],
                 *         "dependents": [
                 *           {
                 *             "firstName": "Ben",
                 *             "lastName": "Schmidt",
                 *             "relationship": "Child",
                 *             "nationality": "US",
                 *             "dateOfBirth": "2018-09-12",
                 *             "gender": "M"
                 *           }
                 *         ]
                 *       },
                 *       "metadata": [
                 *         {
                 *           "tagName": "project",
                 *           "value": "Orion"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewCase"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCaseOrIdentifiers"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrEmployeeNumberInUseOrEmployeeNumberRetired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrUnknownCompany"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getCase: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Case"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getCaseNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseNote"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getCaseSteps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the case. */
                caseId: components["parameters"]["CaseId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseStep"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["CaseNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getCaseHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HealthResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getCasesForEmployeeNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Employee number of the applicant. */
                employeeNumber: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CaseListResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getCasesForApplicant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the primary applicant or dependent. */
                applicantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CaseListResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ApplicantNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listCaseNotes: {
        parameters: {
            query: {
                /**
                 * @description First day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                startDate: components["parameters"]["StartDate"];
                /**
                 * @description Last day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                endDate: components["parameters"]["EndDate"];
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description Number of records to skip. Sent empty (`offset=`), the list begins at the first record and is paged by cursor. Accepts a whole number, or nothing for paging by cursor. */
                offset?: number | string;
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description Date that must lie in the range. */
                type?: "created" | "updated";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseNotePage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listCaseSteps: {
        parameters: {
            query: {
                /**
                 * @description First day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                startDate: components["parameters"]["StartDate"];
                /**
                 * @description Last day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                endDate: components["parameters"]["EndDate"];
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description Number of records to skip. Sent empty (`offset=`), the list begins at the first record and is paged by cursor. Accepts a whole number, or nothing for paging by cursor. */
                offset?: number | string;
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description Date that must lie in the range. */
                type?: "updated" | "created" | "started" | "completed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseStepPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listChanges: {
        parameters: {
            query?: {
                /**
                 * @description `nextCursor` of an earlier response, or the cursor of an export; `now` for the end of the feed. Absent or empty: the oldest change that is kept.
                 * @example now
                 */
                after?: string;
                /**
                 * @description Only events of these types, separated by commas. Absent: all that the caller may read.
                 * @example case.created,case.status_changed
                 */
                types?: string;
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description Seconds to wait for a change where there is none. Server-sent events ignore it. */
                wait?: number;
            };
            header?: {
                /** @description The `id` of the last server-sent event, as browsers send it when they reconnect. It overrides the cursor of the query. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePage"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            410: components["responses"]["FeedExpired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    uploadDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["DocumentUpload"];
            };
        };
        responses: {
            201: components["responses"]["DocumentOrIdentifiersCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScopeOrQuotaExceeded"];
            404: components["responses"]["CaseNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgress"];
            413: components["responses"]["PayloadTooLargeOrFileTooLargeToScan"];
            415: components["responses"]["UnsupportedMediaTypeOrFileKindRefused"];
            422: components["responses"]["IdempotencyKeyReusedOrFileInfected"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrScannerUnavailableOrRepositoryUnavailableOrUploadExpiredOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["DocumentNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    patchDocumentExpiry: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The write is rejected (412) if the record has another one. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*`: the write is rejected (412) if the record already exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatchAny"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ExpiryDate": "2027-06-30",
                 *       "RemindAboutRenewal": true,
                 *       "ExpiryReminder": 30
                 *     }
                 */
                "application/json": components["schemas"]["DocumentExpiry"];
            };
        };
        responses: {
            200: components["responses"]["DocumentOrIdentifiersWithETagResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["DocumentNotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["VersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    downloadDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description One range of bytes, such as `bytes=1048576-`, to resume a download. The response is 206 with `Content-Range`. */
                Range?: components["parameters"]["Range"];
                /** @description The ETag of the part that is there already: if the file has another one, the response is the whole file. */
                "If-Range"?: components["parameters"]["IfRange"];
            };
            path: {
                /** @description Encoded id of the document. */
                documentId: components["parameters"]["DocumentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Success. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["DocumentNotFoundOrFileNotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["FileDamagedOrInternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrRepositoryUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getDocumentHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HealthResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listDocuments: {
        parameters: {
            query: {
                /**
                 * @description First day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                startDate: components["parameters"]["StartDate"];
                /**
                 * @description Last day of the range, UTC, included. Accepts a real calendar day such as 2026-03-01.
                 * @example 2026-03-01
                 */
                endDate: components["parameters"]["EndDate"];
                /** @description Maximum records per page. */
                maxRecords?: number;
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description Only documents uploaded to this case. */
                caseId?: string;
                /** @description Only documents of this person: those of the record and those of its cases. */
                applicantId?: string;
                /** @description Only documents of the primary applicant or dependent with this number: those of the record and those of its cases. */
                employeeNumber?: string;
                /** @description Only documents whose file is in the repository of this country. */
                countryCode?: components["parameters"]["CountryCode"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    exportRecords: {
        parameters: {
            query: {
                /**
                 * @description Which records.
                 * @example applicants
                 */
                kind: "applicants" | "cases" | "documents";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One record a line; the last line is the cursor. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description Maximum records per page. */
                maxRecords?: number;
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description Only imports with this status. */
                status?: "receiving" | "checking" | "held" | "running" | "completed" | "cancelled" | "failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportPage"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    createImport: {
        parameters: {
            query?: {
                /** @description `replace`: rows are whole records, as in a PUT. `merge`: rows are changes, as in a PATCH. */
                mode?: "replace" | "merge";
                /** @description Checks the rows and changes nothing. */
                dryRun?: boolean;
                /** @description Whether the file has all people: reports who is missing. */
                complete?: boolean;
            };
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description `wait=20` waits up to 20 seconds for the end of the work, at most 60 (RFC 7240). The response has `Preference-Applied`. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {"primaryApplicant":{"employeeNumber":"E-10042","firstName":"Anna","lastName":"Schmidt"},"dependents":[]} */
                "application/x-ndjson": string;
                /**
                 * @example employeeNumber,firstName,lastName,passports[0].expiryDate
                 *     E-10042,Anna,Schmidt,2031-02-28
                 */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Accepted; processed in the background. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrImportInterrupted"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=20` waits up to 20 seconds for the end of the work, at most 60 (RFC 7240). The response has `Preference-Applied`. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An ETag. The response is 304 without a body if the record still has it. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description Encoded id of the import. */
                importId: components["parameters"]["ImportId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ImportNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    cancelImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Encoded id of the import. */
                importId: components["parameters"]["ImportId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ImportResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ImportNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrImportEnded"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    releaseImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry: for 24 hours the same key and request return the first response again. Printable ASCII without spaces. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description `wait=20` waits up to 20 seconds for the end of the work, at most 60 (RFC 7240). The response has `Preference-Applied`. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Encoded id of the import. */
                importId: components["parameters"]["ImportId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ImportResponse"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["CrossOriginOrInsufficientScope"];
            404: components["responses"]["ImportNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInProgressOrImportNotReleasableOrImportNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
            507: components["responses"]["StorageFull"];
        };
    };
    getImportRows: {
        parameters: {
            query?: {
                /** @description Maximum records per page. */
                maxRecords?: components["parameters"]["MaxRecords"];
                /** @description `nextCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                nextCursor?: components["parameters"]["NextCursor"];
                /** @description `prevCursor` of an earlier response; overrides `offset`, where there is one. Empty is the same as absent. */
                prevCursor?: components["parameters"]["PrevCursor"];
                /** @description Only rows with this outcome. */
                outcome?: "created" | "updated" | "unchanged" | "rejected" | "missing";
            };
            header?: never;
            path: {
                /** @description Encoded id of the import. */
                importId: components["parameters"]["ImportId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportRowPage"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidCursor"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ImportNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    getImportRowContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Encoded id of the import. */
                importId: components["parameters"]["ImportId"];
                /** @description Number of the row, from 1, as in the results. */
                row: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportRowContent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["TokenRequiredOrInvalidTokenOrSessionRequired"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["ImportNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["DatabaseUnavailableOrIssuerUnavailableOrTooBusyOrOverloaded"];
        };
    };
    onApplicantCreatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicantCreatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onApplicantUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicantUpdatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onApplicantNumberChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicantNumberChangedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onApplicantMergedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicantMergedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onApplicantUnmergedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicantUnmergedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDependentCreatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependentCreatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDependentUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependentUpdatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDependentNumberChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependentNumberChangedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDependentArchivedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependentArchivedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDependentRestoredEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependentRestoredEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDependentMergedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependentMergedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDependentUnmergedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DependentUnmergedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onCaseCreatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaseCreatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onCaseUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaseUpdatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onCaseStatusChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaseStatusChangedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onCaseStepChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaseStepChangedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onCaseNoteAddedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaseNoteAddedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onCaseNoteChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaseNoteChangedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onCaseChecklistChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaseChecklistChangedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDocumentCreatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentCreatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDocumentUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentUpdatedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDocumentRemovedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentRemovedEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onDocumentRenewalDueEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentRenewalDueEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onPassportRenewalDueEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PassportRenewalDueEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
    onWebhookTestEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the event. A retry has the same. */
                "webhook-id": components["parameters"]["WebhookIdHeader"];
                /** @description Time of this attempt, in seconds since 1970. */
                "webhook-timestamp": components["parameters"]["WebhookTimestampHeader"];
                /** @description `v1,` and the Base64 of the HMAC-SHA256 of `id.timestamp.body`. */
                "webhook-signature": components["parameters"]["WebhookSignatureHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            410: components["responses"]["WebhookGone"];
            "2XX": components["responses"]["EventReceived"];
        };
    };
}

/** Every `code` of a problem document. */
export type ProblemCode =
    | "all-companies-required"
    | "api-key-not-found"
    | "api-key-required"
    | "applicant-not-found"
    | "archived-applicant-not-found"
    | "block-not-found"
    | "calendar-not-found"
    | "cannot-grant"
    | "case-not-found"
    | "changed-since-merge"
    | "client-id-in-use"
    | "client-not-found"
    | "company-code-in-use"
    | "company-name-in-use"
    | "company-not-found"
    | "cross-origin"
    | "database-unavailable"
    | "delivery-not-found"
    | "dependent-not-found"
    | "dependent-of-another-applicant"
    | "document-moved"
    | "document-not-found"
    | "duplicate-not-found"
    | "email-in-use"
    | "employee-number-fixed"
    | "employee-number-in-use"
    | "employee-number-retired"
    | "external-client"
    | "feed-expired"
    | "file-damaged"
    | "file-infected"
    | "file-kind-refused"
    | "file-not-found"
    | "file-too-large-to-scan"
    | "file-version-not-found"
    | "idempotency-key-in-progress"
    | "idempotency-key-reused"
    | "identity-mismatch"
    | "import-ended"
    | "import-interrupted"
    | "import-not-allowed"
    | "import-not-found"
    | "import-not-releasable"
    | "insufficient-scope"
    | "internal-error"
    | "invalid-cursor"
    | "invalid-request"
    | "invalid-token"
    | "invalid-transition"
    | "invitation-invalid"
    | "issuer-unavailable"
    | "last-admin"
    | "login-issuer-unavailable"
    | "merge-not-found"
    | "merge-undone"
    | "method-not-allowed"
    | "not-ready"
    | "note-not-found"
    | "overloaded"
    | "passkey-not-found"
    | "passkey-rejected"
    | "payload-too-large"
    | "person-required"
    | "process-not-found"
    | "quota-exceeded"
    | "range-not-satisfiable"
    | "records-not-mergeable"
    | "repository-unavailable"
    | "request-timeout"
    | "route-not-found"
    | "scanner-unavailable"
    | "session-not-found"
    | "session-required"
    | "sharing-not-allowed"
    | "sign-in-again"
    | "sign-in-busy"
    | "sign-in-expired"
    | "sign-in-failed"
    | "sign-in-method-off"
    | "step-not-found"
    | "storage-full"
    | "token-required"
    | "too-busy"
    | "too-many-requests"
    | "too-many-views"
    | "totp-enrolled"
    | "totp-not-enrolled"
    | "unknown-company"
    | "unknown-reference"
    | "unsupported-media-type"
    | "upload-expired"
    | "user-inactive"
    | "user-not-found"
    | "version-mismatch"
    | "view-name-in-use"
    | "view-not-found"
    | "view-of-another-caller"
    | "webhook-not-found"
    | "wrong-code"
    | "wrong-password"

/** The POSTs that ignore an Idempotency-Key. */
export const UNKEYED_POSTS: readonly string[] = [
    "/admin/v1/webhooks/{webhookId}/test",
    "/auth/v1/invitation",
    "/auth/v1/passkey/options",
    "/auth/v1/passkeys",
    "/auth/v1/passkeys/options",
    "/auth/v1/password",
    "/auth/v1/session",
    "/auth/v1/totp",
    "/auth/v1/totp/confirm",
    "/auth/v1/totp/remove",
    "/oauth/token",
]
