// What Streamlit hands to the function that a component's script exports.
interface ComponentArguments<Data> {
  data: Data;
  parentElement: (HTMLElement | ShadowRoot) & { readonly activeElement?: Element | null };
  setTriggerValue(name: string, value: unknown): void;
  setStateValue(name: string, value: unknown): void;
}
