// Problems that several readers report to the model.

/** A call with a DOCTYPE or entity declaration. */
export const noDoctype =
  "A call with <!DOCTYPE or <!ENTITY is refused. Write it without a DOCTYPE and without entities of your own.";

/** A call with more than one possible end. */
export const manyEnds =
  "More than one closing tag could end this call: markup in an argument was taken for the call's own. Wrap the text in <![CDATA[ and ]]>.";

/** A call over 10 MiB. */
export const tooLarge = "The call is too large: over 10 MiB. Write it in smaller pieces.";
