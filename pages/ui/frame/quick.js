// @ts-check
// Two lists of numbers, for the layer and the head; what is chosen goes to the server.

/** @param {ComponentArguments<{ counts: number[], at: number[] }>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.querySelectorAll('select').forEach((list, which) => {
    if (list.options.length !== data.counts[which])
      list.replaceChildren(...Array.from({ length: data.counts[which] }, (_, i) => new Option(String(i), String(i))));
    list.value = String(data.at[which]);
    list.onchange = () => setTriggerValue('picked', [which, Number(list.value)]);
  });
}
