import { Textarea } from '@mantine/core'
import { sentence, type Fault } from '../faults'
import { FaultText } from '../FaultText'
import code from './codeInput.module.css'
import plain from './plainList.module.css'

type Props = { text: string; faults: readonly Fault[]; change: (text: string) => void }

/** The rule in the API's JSON. */
export function RuleJson({ text, faults, change }: Props) {
  return (
    <>
      <Textarea
        label="Rule as JSON"
        autosize
        minRows={10}
        maxRows={30}
        spellCheck={false}
        classNames={{ input: code.input }}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        error={faults.length > 0}
        aria-describedby={faults.length > 0 ? 'rule-faults' : undefined}
      />
      {faults.length > 0 && (
        <ul id="rule-faults" className={plain.list}>
          {faults.map((fault) => (
            <li key={fault.path + fault.expected}>
              <FaultText>
                {fault.path !== 'rule' && <code>{fault.path}</code>} {sentence(fault)}
              </FaultText>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
