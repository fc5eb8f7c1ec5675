// Before Plotly: our content security policy lets no style in without this page's nonce. Plotly makes style elements,
// which get the nonce here, and writes some styles as attributes, which go through the style object instead.
"use strict";

{
  const { nonce } = document.currentScript;
  const create = Document.prototype.createElement;
  const set = Element.prototype.setAttribute;
  Document.prototype.createElement = function (name, ...more) {
    const made = create.call(this, name, ...more);
    if (String(name).toLowerCase() === "style") made.nonce = nonce;
    return made;
  };
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else set.call(this, name, value);
  };
}
