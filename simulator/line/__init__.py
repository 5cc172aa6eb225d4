"""The local LINE platform: a separate package, installed as `line_simulator`, in the checkout `simulator.line`.

Modules import one another relatively, to work under both names, and need nothing of the product or of the other stand-ins.
"""
