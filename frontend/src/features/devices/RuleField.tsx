import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { pretty, readRuleText } from '@/lib/ruleText'
import classes from './devices.module.css'

type Props = { value: string | undefined; error: string | undefined; onCommit: (rule: string | undefined) => void }

const LONG = 80
const EXAMPLE = '{"all": [{"fact": "os", "equals": "android"}, {"fact": "os_version", "version": ">=12"}]}'

/** A targeting rule in JSON, as in releases. */
export function RuleField({ value, error, onCommit }: Props) {
  const [text, setText] = useState(shown(value))
  const [seen, setSeen] = useState(value)
  const [fault, setFault] = useState<string>()
  if (value !== seen) {
    setSeen(value)
    // A search that was typed here comes back through the address; anything else came from elsewhere.
    const typed = typedRule(text)
    if (typed.fault !== undefined || typed.rule !== value) {
      setText(shown(value))
      setFault(undefined)
    }
  }
  const look = () => {
    const typed = typedRule(text)
    setFault(typed.fault)
    if (typed.fault === undefined) onCommit(typed.rule)
  }
  return (
    <form
      className={classes.rule}
      onSubmit={(event) => {
        event.preventDefault()
        look()
      }}
    >
      <Textarea
        label="Targeting rule"
        description="JSON, in the same form as in releases. Ctrl+Enter searches."
        placeholder={EXAMPLE}
        className={classes.ruleText}
        autosize
        minRows={3}
        maxRows={10}
        spellCheck={false}
        value={text}
        error={fault ?? error}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) look()
        }}
      />
      <Button type="submit" variant="default">
        Find devices
      </Button>
    </form>
  )
}

type TypedRule = { rule?: string | undefined; fault?: string | undefined }

/** Returns the rule for the address; nothing if nothing is typed. */
function typedRule(text: string): TypedRule {
  if (text.trim() === '') return {}
  const { rule, fault } = readRuleText(text)
  return rule ? { rule: JSON.stringify(rule) } : { fault }
}

/** Returns the rule with line breaks if it is long; unchanged if it cannot be parsed. */
function shown(rule: string | undefined): string {
  if (rule === undefined || rule.length <= LONG) return rule ?? ''
  const read = readRuleText(rule).rule
  return read ? pretty(read) : rule
}
