variable "access" {
  description = "Who may talk to the bot: `invited`, the chats that an invitation code or `make admit` let in; or `open`, everybody who finds the account, at your cost."
  type        = string
  default     = "invited"
  nullable    = false

  validation {
    condition     = contains(["invited", "open"], var.access)
    error_message = "access must be invited or open."
  }
}

variable "agent_worker" {
  description = "Scaling of the worker that answers. Requests wait there for their chat's turn, so `concurrency` (which is also its threads) is at least 40; CPU in vCPU."
  type = object({
    concurrency   = optional(number, 40)
    cpu           = optional(string, "1")
    max_instances = optional(number, 20)
    memory        = optional(string, "1Gi")
    min_instances = optional(number, 0)
    timeout_s     = optional(number, 118)
  })
  default  = {}
  nullable = false

  validation {
    condition     = try(tonumber(var.agent_worker.cpu), 0) >= 1 && can(regex("^[1-9][0-9]*(M|Mi|G|Gi)$", var.agent_worker.memory))
    error_message = "agent_worker.cpu must be a number of vCPU, at least 1 for more than one request at a time; agent_worker.memory such as 512Mi or 1Gi."
  }

  validation {
    condition     = var.agent_worker.concurrency >= 40 && var.agent_worker.concurrency <= 80 && floor(var.agent_worker.concurrency) == var.agent_worker.concurrency
    error_message = "agent_worker.concurrency must be a whole number from 40, because requests wait for their chat's turn, to 80: the worker renews the leases of so many turns at once."
  }

  validation {
    condition = (
      var.agent_worker.min_instances >= 0 && var.agent_worker.max_instances >= max(1, var.agent_worker.min_instances)
      && alltrue([for count in [var.agent_worker.min_instances, var.agent_worker.max_instances] : floor(count) == count])
    )
    error_message = "agent_worker.min_instances and max_instances are whole numbers; max_instances must be at least 1 and at least min_instances."
  }

  validation {
    condition     = var.agent_worker.timeout_s >= 117 && var.agent_worker.timeout_s < var.delivery.ack_deadline_s
    error_message = "agent_worker.timeout_s must be at least 117, the longest turn, and less than delivery.ack_deadline_s."
  }
}

variable "alerts" {
  description = "`level`: `full`, an alert for each cause; `essential`, five conditions that hold the gravest; `none`; null: `profile` decides. Each condition is charged (`make cost`). Who is told (e-mail addresses, and channels that exist already): `page` of what cannot wait, `ticket` of the rest; and from when: shares from 0 to 1, seconds, failures an hour, refusals in ten minutes, reminders an hour that are kept, hours without an event (0: no alert), US dollars a day. `handbook_url`: where docs/operations.md is to be read."
  type = object({
    apology_share      = optional(number, 0.2)
    failure_share      = optional(number, 0.05)
    handbook_url       = optional(string)
    late_share         = optional(number, 0.2)
    level              = optional(string)
    memory_failures    = optional(number, 5)
    oldest_event_s     = optional(number, 180)
    page               = optional(object({ channels = optional(list(string), []), emails = optional(set(string), []) }), {})
    quiet_hours        = optional(number, 23)
    reminders_kept     = optional(number, 20)
    signature_refusals = optional(number, 5)
    ticket             = optional(object({ channels = optional(list(string), []), emails = optional(set(string), []) }), {})
    token_usd_a_day    = optional(number, 10)
    tool_failures      = optional(number, 10)
    webhook_5xx        = optional(number, 3)
  })
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for share in [var.alerts.apology_share, var.alerts.failure_share, var.alerts.late_share] : share > 0 && share < 1])
    error_message = "alerts.apology_share, alerts.failure_share and alerts.late_share are shares: more than 0, less than 1."
  }

  validation {
    condition     = min(var.alerts.memory_failures, var.alerts.oldest_event_s, var.alerts.reminders_kept, var.alerts.signature_refusals, var.alerts.tool_failures, var.alerts.webhook_5xx) >= 1
    error_message = "alerts.memory_failures, oldest_event_s, reminders_kept, signature_refusals, tool_failures and webhook_5xx are at least 1."
  }

  validation {
    condition     = var.alerts.level == null ? true : contains(["none", "essential", "full"], var.alerts.level)
    error_message = "alerts.level must be none, essential or full."
  }

  validation {
    condition     = var.alerts.token_usd_a_day > 0
    error_message = "alerts.token_usd_a_day must be more than 0."
  }

  validation {
    condition     = var.alerts.oldest_event_s + 120 > var.delivery.max_attempts * var.delivery.maximum_backoff_s
    error_message = "alerts.oldest_event_s must be long enough for an event that always fails to become a dead letter, which raises an alert of its own: more than delivery.max_attempts * delivery.maximum_backoff_s - 120."
  }

  validation {
    condition     = var.alerts.quiet_hours >= 0 && var.alerts.quiet_hours <= 23 && floor(var.alerts.quiet_hours) == var.alerts.quiet_hours
    error_message = "alerts.quiet_hours is a whole number from 0 to 23: the alert compares with the event of the day before."
  }

  validation {
    condition     = alltrue([for email in setunion(var.alerts.page.emails, var.alerts.ticket.emails) : can(regex("^[^@ ]+@[^@ ]+$", email))])
    error_message = "The emails of alerts.page and alerts.ticket must be e-mail addresses."
  }

  validation {
    condition     = alltrue([for channel in concat(var.alerts.page.channels, var.alerts.ticket.channels) : can(regex("^projects/[^/]+/notificationChannels/[^/]+$", channel))])
    error_message = "The channels of alerts.page and alerts.ticket must be projects/PROJECT/notificationChannels/ID."
  }
}

variable "apis_settle_s" {
  description = "Seconds that enabled APIs, and the service agents that come with them, are given before their first use."
  type        = number
  default     = 60
  nullable    = false

  validation {
    condition     = var.apis_settle_s >= 0 && floor(var.apis_settle_s) == var.apis_settle_s
    error_message = "apis_settle_s must be a whole number, 0 or more."
  }
}

variable "audit" {
  description = "`history_access`: write the project's Data Access audit log of Cloud Storage, without this deployment's workers and `exempted_members` (IAM members, such as the workers of another deployment). The log's configuration is the project's, so only one deployment of a project may set it."
  type = object({
    exempted_members = optional(list(string), [])
    history_access   = optional(bool, false)
  })
  default  = {}
  nullable = false
}

variable "bot" {
  description = "Who the bot is and how it behaves. null: the code's default. `archive_days`: how far back older messages are kept for the bot to look up; 0: not at all. `calendar`: a function of its own serves the reminders and dated entries of chats to calendar programs, at private addresses (docs/connect.md). `confidence_threshold` is a share: what is filed with less goes to the inbox. `handover_minutes`: how long a person answers instead of the bot before it does again, and `operator_user_id` (the id that `/id` shows in the operator's 1:1 chat) who is told when somebody asks for one. `embeddings`: search compares meanings too, by requests to an embedding model. `hooks`: members may make addresses at which other systems send notices into their chats (docs/connect.md); needs the secret `hook_key`. `lease_s` in seconds; `settle_ms` of earlier releases has no effect; `reminders` of push, reply (with the next answer only), off, and at most `reminder_pushes_per_day` in a chat (0: no limit); `rich`: lists and choices are drawn as cards, else written; `toolsets` of knowledge, lists (with knowledge), expenses, polls, notion, web. `currency`: that of expenses where none is named, such as JPY; null: that of the locale. `tracing`: spans of the agent go to Cloud Trace, without words of people."
  type = object({
    archive_days            = optional(number, 365)
    calendar                = optional(bool, false)
    confidence_threshold    = optional(number, 0.6)
    currency                = optional(string)
    embeddings              = optional(bool, false)
    group_policy            = optional(string, "mention")
    handover_minutes        = optional(number, 60)
    hooks                   = optional(bool, false)
    late_reply              = optional(string, "button")
    lease_s                 = optional(number, 25)
    locale                  = optional(string, "ja")
    name                    = optional(string)
    operator_user_id        = optional(string)
    persona                 = optional(string)
    reminder_pushes_per_day = optional(number, 20)
    reminders               = optional(string, "push")
    rich                    = optional(bool, true)
    settle_ms               = optional(number, 500)
    time_zone               = optional(string, "Asia/Tokyo")
    toolsets                = optional(set(string), ["knowledge"])
    tracing                 = optional(bool, false)
  })
  default  = {}
  nullable = false

  validation {
    condition     = var.bot.confidence_threshold >= 0 && var.bot.confidence_threshold <= 1
    error_message = "bot.confidence_threshold is a share: from 0 to 1."
  }

  validation {
    condition     = contains(["mention", "model", "off"], var.bot.group_policy)
    error_message = "bot.group_policy must be mention, model or off."
  }

  validation {
    condition     = var.bot.handover_minutes >= 1 && var.bot.handover_minutes <= 10080 && floor(var.bot.handover_minutes) == var.bot.handover_minutes
    error_message = "bot.handover_minutes must be a whole number of minutes from 1 to 10080 (a week)."
  }

  validation {
    condition     = var.bot.operator_user_id == null ? true : can(regex("^U[0-9a-f]{32}$", var.bot.operator_user_id))
    error_message = "bot.operator_user_id must be U and 32 digits, as `/id` shows it in the operator's 1:1 chat with the bot."
  }

  validation {
    condition     = contains(["button", "drop", "push"], var.bot.late_reply)
    error_message = "bot.late_reply must be button, drop or push."
  }

  validation {
    condition     = contains(["en", "ja", "th", "zh-TW"], var.bot.locale)
    error_message = "bot.locale must be en, ja, th or zh-TW."
  }

  validation {
    condition     = var.bot.lease_s >= 20 && var.bot.lease_s < 40 && var.bot.settle_ms >= 0 && var.bot.settle_ms <= 2000
    error_message = "bot.lease_s must be from 20 seconds (a shorter lease may end during a call to LINE and its retry) to 39 (a model call has 40), bot.settle_ms from 0 to 2000 milliseconds."
  }

  validation {
    condition     = var.bot.name == null ? true : can(regex("^[^\\p{Cc}\\p{Zl}\\p{Zp}]{0,100}$", var.bot.name))
    error_message = "bot.name must be one line of at most 100 characters."
  }

  validation {
    condition     = can(regex("^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$", var.bot.time_zone))
    error_message = "bot.time_zone must be a time zone such as Asia/Tokyo."
  }

  validation {
    condition     = var.bot.archive_days >= 0 && var.bot.archive_days <= 36500 && floor(var.bot.archive_days) == var.bot.archive_days
    error_message = "bot.archive_days must be a whole number of days from 0 (no archive) to 36500."
  }

  validation {
    condition     = contains(["off", "push", "reply"], var.bot.reminders)
    error_message = "bot.reminders must be off, push or reply."
  }

  validation {
    condition     = var.bot.reminder_pushes_per_day >= 0 && var.bot.reminder_pushes_per_day <= 10000 && floor(var.bot.reminder_pushes_per_day) == var.bot.reminder_pushes_per_day
    error_message = "bot.reminder_pushes_per_day must be a whole number from 0 (no limit) to 10000."
  }

  validation {
    condition     = length(setsubtract(var.bot.toolsets, ["knowledge", "lists", "expenses", "polls", "notion", "web"])) == 0
    error_message = "bot.toolsets may hold knowledge, lists, expenses, polls, notion and web."
  }

  validation {
    condition     = !contains(var.bot.toolsets, "lists") || contains(var.bot.toolsets, "knowledge")
    error_message = "bot.toolsets names lists only together with knowledge."
  }

  validation {
    condition     = contains(var.bot.toolsets, "notion") == (var.notion != null)
    error_message = "bot.toolsets names notion exactly when `notion` is set."
  }
}

variable "budget" {
  description = "A monthly budget over everything in the project, in whole units of the billing account's currency; null: none."
  type = object({
    amount          = number
    billing_account = string
    currency        = optional(string, "USD")
  })
  default = null

  validation {
    condition     = var.budget == null ? true : var.budget.amount >= 1 && can(regex("^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", var.budget.billing_account))
    error_message = "budget.amount must be at least 1, budget.billing_account an id such as 012345-6789AB-CDEF01."
  }
}

variable "delivery" {
  description = "How events reach the workers: seconds, attempts, and days that an event waits for a worker that is down."
  type = object({
    ack_deadline_s    = optional(number, 120)
    max_attempts      = optional(number, 20)
    maximum_backoff_s = optional(number, 10)
    minimum_backoff_s = optional(number, 1)
    retention_days    = optional(number, 7)
  })
  default  = {}
  nullable = false

  validation {
    condition     = var.delivery.ack_deadline_s >= 120 && var.delivery.ack_deadline_s <= 600
    error_message = "delivery.ack_deadline_s must be from 120, longer than any request, to 600."
  }

  validation {
    condition     = var.delivery.max_attempts >= 10 && var.delivery.max_attempts <= 100
    error_message = "delivery.max_attempts must be from 10 to 100."
  }

  validation {
    condition     = var.delivery.minimum_backoff_s >= 1 && var.delivery.maximum_backoff_s >= var.delivery.minimum_backoff_s && var.delivery.maximum_backoff_s <= 600
    error_message = "The backoff must be from 1 to 600 seconds, and its minimum not above its maximum."
  }

  validation {
    condition     = var.delivery.retention_days >= 1 && var.delivery.retention_days <= 7
    error_message = "delivery.retention_days must be from 1 to 7: words of people wait there."
  }
}

variable "feeds" {
  description = "Scaling of the function that serves calendars, with bot.calendar; CPU in vCPU. `public` false: nobody is granted the right to call it, for organisations that forbid allUsers; then the invoker check has to be switched off, as for the webhook (docs/deploy.md)."
  type = object({
    concurrency   = optional(number, 40)
    cpu           = optional(string, "1")
    max_instances = optional(number, 3)
    memory        = optional(string, "512Mi")
    min_instances = optional(number, 0)
    public        = optional(bool, true)
    timeout_s     = optional(number, 60)
  })
  default  = {}
  nullable = false

  validation {
    condition     = try(tonumber(var.feeds.cpu), 0) >= (var.feeds.concurrency == 1 ? 0.08 : 1) && can(regex("^[1-9][0-9]*(M|Mi|G|Gi)$", var.feeds.memory))
    error_message = "feeds.cpu must be a number of vCPU, at least 1 for more than one request at a time; feeds.memory such as 512Mi or 1Gi."
  }

  validation {
    condition     = var.feeds.concurrency >= 1 && var.feeds.concurrency <= 1000 && floor(var.feeds.concurrency) == var.feeds.concurrency
    error_message = "feeds.concurrency must be a whole number from 1 to 1000, the most of Cloud Run."
  }

  validation {
    condition = (
      var.feeds.min_instances >= 0 && var.feeds.max_instances >= max(1, var.feeds.min_instances)
      && alltrue([for count in [var.feeds.min_instances, var.feeds.max_instances] : floor(count) == count])
    )
    error_message = "feeds.min_instances and max_instances are whole numbers; max_instances must be at least 1 and at least min_instances."
  }

  validation {
    condition     = var.feeds.timeout_s >= 30 && var.feeds.timeout_s <= 300
    error_message = "feeds.timeout_s must be from 30, because calls of Cloud Storage are repeated for seconds, to 300."
  }
}

variable "forward" {
  description = "Another system that uses the same LINE channel: `url` gets every signed delivery as LINE sent it (https), and `owns` says what it answers, which the bot then neither records nor answers: postback:PREFIX, word:WORD, chats:one-on-one or chats:groups. null: none."
  type = object({
    owns = optional(list(string), [])
    url  = string
  })
  default = null

  validation {
    condition     = var.forward == null ? true : can(regex("^https://[^\\s]+$", var.forward.url))
    error_message = "forward.url must be an https address: people's messages go there."
  }

  validation {
    condition     = var.forward == null ? true : alltrue([for rule in var.forward.owns : can(regex("^(postback:[^,]+|word:[^,]+|chats:(one-on-one|groups))$", rule))]) && length(var.forward.owns) <= 50
    error_message = "forward.owns holds at most 50 rules: postback:PREFIX, word:WORD, chats:one-on-one or chats:groups, without commas."
  }
}

variable "gemini" {
  description = "The model: through an API key, or `on_vertex` in `location`. Prices in US dollars for a million tokens, for the alert on cost. `fallback_model` is asked where the first does not answer; null: none is."
  type = object({
    base_url               = optional(string)
    fallback_model         = optional(string)
    input_usd_per_million  = optional(number, 0.30)
    location               = optional(string, "global")
    model                  = optional(string, "gemini-3.5-flash-lite")
    on_vertex              = optional(bool, false)
    output_usd_per_million = optional(number, 2.50)
    thinking_level         = optional(string, "low")
  })
  default  = {}
  nullable = false

  validation {
    condition     = contains(["minimal", "low", "medium", "high"], var.gemini.thinking_level)
    error_message = "gemini.thinking_level must be minimal, low, medium or high."
  }

  validation {
    condition     = min(var.gemini.input_usd_per_million, var.gemini.output_usd_per_million) > 0
    error_message = "gemini.input_usd_per_million and output_usd_per_million must be more than 0, or the alert on cost could never be raised."
  }

  validation {
    condition     = !var.gemini.on_vertex || can(regex("^[a-z][a-z0-9-]*$", var.gemini.location))
    error_message = "gemini.location must be a location of Vertex AI, such as global or asia-northeast1."
  }

  validation {
    condition     = var.gemini.base_url == null ? true : can(regex("^https?://[^/\\s]+[^\\s]*$", var.gemini.base_url))
    error_message = "gemini.base_url must be an http(s) address."
  }
}

variable "grants_settle_s" {
  description = "Seconds that new grants are given to hold everywhere before the first build."
  type        = number
  default     = 90
  nullable    = false

  validation {
    condition     = var.grants_settle_s >= 0 && floor(var.grants_settle_s) == var.grants_settle_s
    error_message = "grants_settle_s must be a whole number, 0 or more."
  }
}

variable "heartbeat_minutes" {
  description = "Every so many minutes LINE is asked to test the webhook, so that a dead one is noticed while nobody writes; null: 5, or 10 with `profile` small; 0: never. LINE allows sixty tests an hour."
  type        = number
  default     = null

  validation {
    condition     = var.heartbeat_minutes == null ? true : contains([0, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30], var.heartbeat_minutes)
    error_message = "heartbeat_minutes must be 0, or 2 to 30 and a divisor of 60."
  }
}

variable "history_bucket" {
  description = "Name of the history bucket; null: PROJECT-NAME-history. A bucket that exists already has to be imported (docs/operations.md, \"Another region\"). It cannot be changed later."
  type        = string
  default     = null

  validation {
    condition     = var.history_bucket == null ? true : can(regex("^[a-z0-9][a-z0-9_-]{1,61}[a-z0-9]$", var.history_bucket))
    error_message = "history_bucket must be the name of a bucket: 3 to 63 lower-case letters, digits, hyphens and underscores."
  }
}

variable "history_location" {
  description = "Location of the history bucket, such as the dual region \"ASIA1\"; null: `region`. It cannot be changed later."
  type        = string
  default     = null
}

variable "kms_key" {
  description = "Full name of a Cloud KMS key in `region`, for the history bucket and the topics; null: Google's own keys. A bucket in another location needs a key there."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key == null ? true : can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.kms_key))
    error_message = "kms_key must be projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY."
  }
}

variable "labels" {
  description = "Labels of everything that can carry some."
  type        = map(string)
  default     = { app = "aizuchi" }
  nullable    = false
}

variable "limits" {
  description = "What may be spent on a day of `bot.time_zone`; 0: no limit. Tokens are weighted: a token of output counts as many of input as it costs. Whoever spends it is told once, and then met with silence until the next day."
  type = object({
    tokens_per_chat_day = optional(number, 5000000)
    tokens_per_day      = optional(number, 50000000)
    turns_per_chat_day  = optional(number, 500)
  })
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for limit in values(var.limits) : limit >= 0 && limit <= 1000000000000 && floor(limit) == limit])
    error_message = "limits are whole numbers from 0, which is no limit, to 1000000000000."
  }
}

variable "line_api_base_url" {
  description = "Where LINE's API is; null: LINE's own hosts. For rehearsals."
  type        = string
  default     = null

  validation {
    condition     = var.line_api_base_url == null ? true : can(regex("^https://[^/\\s]+[^\\s]*$", var.line_api_base_url))
    error_message = "line_api_base_url must be an https address: the channel access token is sent there."
  }
}

variable "load_balancer" {
  description = "An HTTPS load balancer with Cloud Armor in front of the webhook, for a domain that points to it; null: LINE calls the function directly. `requests_a_minute`: what one address may send, and LINE delivers from few; what is above is refused with 429, and redelivered by LINE."
  type = object({
    domain            = string
    requests_a_minute = optional(number, 6000)
  })
  default = null

  validation {
    condition     = var.load_balancer == null ? true : can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", var.load_balancer.domain))
    error_message = "load_balancer.domain must be a domain, such as bot.example.com."
  }

  validation {
    condition     = var.load_balancer == null ? true : var.load_balancer.requests_a_minute >= 60 && floor(var.load_balancer.requests_a_minute) == var.load_balancer.requests_a_minute
    error_message = "load_balancer.requests_a_minute must be a whole number, at least 60."
  }
}

variable "name" {
  description = "Prefix of all names; two installations in one project need two. It cannot be changed later."
  type        = string
  default     = "aizuchi"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,14}[a-z0-9]$", var.name)) # a service account's id has at most 30 characters
    error_message = "name must have 3 to 16 lower-case letters, digits and hyphens, and begin with a letter."
  }
}

variable "notion" {
  description = "The Notion toolset: `databases` name => id, and the chats (LINE ids, or \"*\") that may use it, because anybody can write to a LINE account; null: none."
  type = object({
    base_url      = optional(string)
    conversations = set(string)
    databases     = map(string)
  })
  default = null

  validation {
    condition     = var.notion == null ? true : length(var.notion.databases) > 0 && length(var.notion.conversations) > 0
    error_message = "notion needs at least one database and at least one conversation."
  }

  validation {
    condition     = var.notion == null ? true : alltrue([for id in values(var.notion.databases) : can(regex("^([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$", id))])
    error_message = "notion.databases must map names to the ids of databases or data sources: 32 hexadecimal digits, with or without hyphens."
  }

  validation {
    condition     = var.notion == null ? true : alltrue([for name in keys(var.notion.databases) : can(regex("^[^\\x00-\\x1f\\x7f\"]{1,64}$", name))])
    error_message = "The names of notion.databases must have 1 to 64 characters, without quotation marks and control characters."
  }

  validation {
    condition     = try(var.notion.base_url, null) == null ? true : can(regex("^https?://[^/\\s]+[^\\s]*$", var.notion.base_url))
    error_message = "notion.base_url must be an http(s) address."
  }

  validation {
    condition     = var.notion == null ? true : !contains(var.notion.conversations, "*") || length(var.notion.conversations) == 1
    error_message = "notion.conversations is \"*\" alone, or ids."
  }

  validation {
    condition     = var.notion == null ? true : alltrue([for one in var.notion.conversations : can(regex("^([UCR][0-9a-f]{32}|\\*)$", one))])
    error_message = "notion.conversations must hold LINE ids of users, groups or rooms, or \"*\"."
  }
}

variable "profile" {
  description = "`full`; or `small`, for a family or a rehearsal: no alerts unless `alerts.level` asks for them, a heartbeat every ten minutes, and no instances that wait (`make cost` has the price of both)."
  type        = string
  default     = "full"
  nullable    = false

  validation {
    condition     = contains(["full", "small"], var.profile)
    error_message = "profile must be full or small."
  }

  validation {
    condition     = var.profile != "small" || max(var.agent_worker.min_instances, var.unsend.min_instances, var.webhook.min_instances) == 0
    error_message = "profile small keeps no instances that wait: min_instances must be 0, or profile full."
  }
}

variable "project_id" {
  description = "Id of the project that everything is made in."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "project_id must be a project's id (not its name or number)."
  }
}

variable "region" {
  description = "Region of everything: functions, topic, bucket, secrets. Google restricts where some new projects may build (docs/deploy.md, \"When something is refused\"). It cannot be changed later."
  type        = string
  default     = "asia-northeast1"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "region must be a region, such as asia-northeast1 (not a zone)."
  }
}

variable "retention" {
  description = "Days that things are kept after they were last written; 0: for ever. `idle_conversation_days`: each message and outcome of the journal, and the snapshot as a whole, goes so long after its own last write. `calls_days` is at least 1: what was written to Notion is remembered for as long as its turn may be thought again. `entries_days` counts for entries, expenses and polls."
  type = object({
    calls_days             = optional(number, 1)
    entries_days           = optional(number, 0)
    idle_conversation_days = optional(number, 365)
    media_days             = optional(number, 90)
  })
  default  = {}
  nullable = false

  validation {
    condition = (
      alltrue([for days in values(var.retention) : days >= 0 && floor(days) == days])
      && var.retention.calls_days >= 1
      && (var.retention.idle_conversation_days == 0 || var.retention.idle_conversation_days >= 31)
    )
    error_message = "Retention is in whole days, 0 or more; calls_days is at least 1, idle_conversation_days 0 or at least 31, longer than amendments are kept."
  }
}

variable "runtime" {
  description = "Python runtime of the functions. python314 where the platform lists it (`gcloud functions runtimes list`); the tests run on 3.11 to 3.13."
  type        = string
  default     = "python313"
  nullable    = false

  validation {
    condition     = contains(["python311", "python312", "python313", "python314"], var.runtime)
    error_message = "runtime must be python311, python312, python313 or python314."
  }
}

variable "secret_versions" {
  description = "A counter for each secret: raise it whenever its value in `secrets` changes. 0: you write the versions yourself; before the first apply there has to be one (docs/deploy.md, \"Secrets\")."
  type = object({
    gemini_api_key            = optional(number, 1)
    hook_key                  = optional(number, 1)
    line_channel_access_token = optional(number, 1)
    line_channel_secret       = optional(number, 1)
    mcp_headers               = optional(number, 1)
    notion_token              = optional(number, 1)
  })
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for counter in values(var.secret_versions) : counter >= 0 && floor(counter) == counter])
    error_message = "The counters of secret_versions are whole numbers, 0 or more."
  }
}

variable "secrets" {
  description = "Values of the secrets. `line_channel_secret` may be two, separated by a comma, while it is being changed; another `hook_key` ends the tokens of all hooks. They reach neither plan nor state."
  type = object({
    gemini_api_key            = optional(string)
    hook_key                  = optional(string)
    line_channel_access_token = optional(string)
    line_channel_secret       = optional(string)
    mcp_headers               = optional(string)
    notion_token              = optional(string)
  })
  default   = {}
  ephemeral = true
  nullable  = false

  validation {
    condition = alltrue([
      var.secret_versions.line_channel_access_token == 0 || var.secrets.line_channel_access_token != null,
      var.secret_versions.line_channel_secret == 0 || var.secrets.line_channel_secret != null,
      var.gemini.on_vertex || var.secret_versions.gemini_api_key == 0 || var.secrets.gemini_api_key != null,
      var.notion == null || var.secret_versions.notion_token == 0 || var.secrets.notion_token != null,
      !anytrue(var.tool_servers[*].has_headers) || var.secret_versions.mcp_headers == 0 || var.secrets.mcp_headers != null,
      !var.bot.hooks || var.secret_versions.hook_key == 0 || var.secrets.hook_key != null,
    ])
    error_message = "A secret is missing: line_channel_secret and line_channel_access_token always, gemini_api_key unless gemini.on_vertex, notion_token with notion, mcp_headers with a tool server that has headers, hook_key with bot.hooks; or set its counter in secret_versions to 0."
  }

  validation {
    condition     = alltrue([for secret in values(var.secrets) : secret == null ? true : can(regex("^[!-~]([ -~]*[!-~])?$", trimspace(secret)))])
    error_message = "A secret is empty, or holds a line break or another character that no secret has."
  }

  validation {
    condition     = var.secrets.line_channel_secret == null ? true : contains([1, 2], length(compact([for secret in split(",", var.secrets.line_channel_secret) : trimspace(secret)])))
    error_message = "secrets.line_channel_secret may be two, separated by a comma, and not more."
  }

  validation {
    condition     = var.secrets.hook_key == null ? true : length(trimspace(var.secrets.hook_key)) >= 32
    error_message = "secrets.hook_key has at least 32 characters, for example of `openssl rand -hex 32`."
  }
}

variable "tick_shards" {
  description = "Ticks a minute that share what is due, so that several instances carry it out; null: 4, or 1 with `profile` small. One says about 2,000 reminders of the same minute in time."
  type        = number
  default     = null

  validation {
    condition     = var.tick_shards == null ? true : contains(range(1, 17), var.tick_shards)
    error_message = "tick_shards must be a whole number from 1 to 16."
  }
}

variable "tool_servers" {
  description = "Tool servers (MCP over streamable HTTP) whose tools the bot may use: `url`, `tools` by the server's own names, each \"reads\" or \"acts\" (what acts waits for a person's tap), and the `chats` (LINE ids, or \"*\") that have them. `has_headers`: the secret `mcp_headers`, a JSON object of headers by server, has some for it."
  type = list(object({
    chats       = set(string)
    has_headers = optional(bool, false)
    name        = string
    tools       = map(string)
    url         = string
  }))
  default  = []
  nullable = false

  validation {
    condition     = length(var.tool_servers) <= 8 && length(distinct(var.tool_servers[*].name)) == length(var.tool_servers)
    error_message = "tool_servers holds at most 8 servers, each with a name of its own."
  }

  validation {
    condition     = alltrue([for server in var.tool_servers : can(regex("^[a-z][a-z0-9]{0,15}$", server.name)) && can(regex("^https://[^\\s/@]+(/\\S*)?$", server.url))])
    error_message = "A tool server has a name of lower-case letters and digits, at most 16, and an https address without a user."
  }

  validation {
    condition     = alltrue([for server in var.tool_servers : length(server.tools) > 0 && alltrue([for use in values(server.tools) : contains(["reads", "acts"], use)])])
    error_message = "tool_servers.tools maps the names of at least one tool to \"reads\" or \"acts\"."
  }

  validation {
    condition     = alltrue([for server in var.tool_servers : length(server.chats) > 0 && (alltrue([for chat in server.chats : can(regex("^[UCR][0-9a-f]{32}$", chat))]) || server.chats == toset(["*"]))])
    error_message = "tool_servers.chats is [\"*\"] alone, or LINE ids of users, groups or rooms."
  }
}

variable "unsend" {
  description = "Scaling of the function that forgets; CPU in vCPU."
  type = object({
    concurrency   = optional(number, 40)
    cpu           = optional(string, "1")
    max_instances = optional(number, 5)
    memory        = optional(string, "512Mi")
    min_instances = optional(number, 0)
    timeout_s     = optional(number, 118)
  })
  default  = {}
  nullable = false

  validation {
    condition     = try(tonumber(var.unsend.cpu), 0) >= (var.unsend.concurrency == 1 ? 0.08 : 1) && can(regex("^[1-9][0-9]*(M|Mi|G|Gi)$", var.unsend.memory))
    error_message = "unsend.cpu must be a number of vCPU, at least 1 for more than one request at a time; unsend.memory such as 512Mi or 1Gi."
  }

  validation {
    condition     = var.unsend.concurrency >= 1 && var.unsend.concurrency <= 1000 && floor(var.unsend.concurrency) == var.unsend.concurrency
    error_message = "unsend.concurrency must be a whole number from 1 to 1000, the most of Cloud Run."
  }

  validation {
    condition = (
      var.unsend.min_instances >= 0 && var.unsend.max_instances >= max(1, var.unsend.min_instances)
      && alltrue([for count in [var.unsend.min_instances, var.unsend.max_instances] : floor(count) == count])
    )
    error_message = "unsend.min_instances and max_instances are whole numbers; max_instances must be at least 1 and at least min_instances."
  }

  validation {
    condition     = var.unsend.timeout_s >= 60 && var.unsend.timeout_s < var.delivery.ack_deadline_s
    error_message = "unsend.timeout_s must be at least 60, because calls of Cloud Storage are repeated for seconds, and less than delivery.ack_deadline_s."
  }
}

variable "vpc" {
  description = "Direct VPC egress of the worker, for private addresses: names or self links of a network and a subnetwork in `region`; `all_traffic`: also what goes to the internet. null: none."
  type = object({
    all_traffic = optional(bool, false)
    network     = string
    subnetwork  = string
  })
  default = null
}

variable "webhook" {
  description = "Scaling of the webhook; CPU in vCPU. One minimum instance spares LINE the cold start. `public` false: nobody is granted the right to call it, for organisations that forbid allUsers; then the invoker check has to be switched off (docs/deploy.md)."
  type = object({
    concurrency   = optional(number, 40)
    cpu           = optional(string, "1")
    max_instances = optional(number, 10)
    memory        = optional(string, "512Mi")
    min_instances = optional(number, 0)
    public        = optional(bool, true)
    timeout_s     = optional(number, 10)
  })
  default  = {}
  nullable = false

  validation {
    condition     = try(tonumber(var.webhook.cpu), 0) >= (var.webhook.concurrency == 1 ? 0.08 : 1) && can(regex("^[1-9][0-9]*(M|Mi|G|Gi)$", var.webhook.memory))
    error_message = "webhook.cpu must be a number of vCPU, at least 1 for more than one request at a time; webhook.memory such as 512Mi or 1Gi."
  }

  validation {
    condition     = var.webhook.concurrency >= 1 && var.webhook.concurrency <= 1000 && floor(var.webhook.concurrency) == var.webhook.concurrency
    error_message = "webhook.concurrency must be a whole number from 1 to 1000, the most of Cloud Run."
  }

  validation {
    condition = (
      var.webhook.min_instances >= 0 && var.webhook.max_instances >= max(1, var.webhook.min_instances)
      && alltrue([for count in [var.webhook.min_instances, var.webhook.max_instances] : floor(count) == count])
    )
    error_message = "webhook.min_instances and max_instances are whole numbers; max_instances must be at least 1 and at least min_instances."
  }

  validation {
    condition     = var.webhook.timeout_s >= 2 && var.webhook.timeout_s <= 60
    error_message = "webhook.timeout_s must be from 2, when LINE gives up, to 60."
  }
}
